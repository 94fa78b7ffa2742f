import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from './disk'

/** The limits of all archives together. */
export interface ArchiveBounds {
  /** How many there may be. */
  count: number
  bytes: number
}

/** Why there is no room for an archive: the number is reached, or its size exceeds what is left. */
export type NoRoom = 'too many' | 'no room'

/** The room for archives. */
export interface Room {
  /**
   * Reserves room for an archive while it is saved. Gives the function to call at the end, or why there is no room.
   *
   * @param bytes its size
   */
  reserve(bytes: number): Promise<((isSaved: boolean) => void) | NoRoom>
}

/** How long a count stays valid, in milliseconds. Other instances, and deletions, change it. */
const freshMs = 5_000

/**
 * Counts the room that archives take. Instances that share a folder count each other's saved archives, but not running
 * uploads, which may therefore exceed the limits.
 *
 * @param folder the folder of all archives
 */
export function roomIn(folder: string, bounds: ArchiveBounds): Room {
  const reserved = { count: 0, bytes: 0 }
  let taken = { count: 0, bytes: 0 }
  let countedAt = -Infinity
  let counting: Promise<void> | null = null

  async function count(): Promise<void> {
    taken = await countArchives(folder)
    countedAt = performance.now()
  }

  return {
    async reserve(bytes) {
      if (performance.now() - countedAt >= freshMs) {
        counting ??= count().finally(() => (counting = null))
        await counting
      }
      if (taken.count + reserved.count >= bounds.count) return 'too many'
      if (taken.bytes + reserved.bytes + bytes > bounds.bytes) return 'no room'
      reserved.count += 1
      reserved.bytes += bytes
      return (isSaved) => {
        reserved.count -= 1
        reserved.bytes -= bytes
        if (!isSaved) return
        taken.count += 1
        taken.bytes += bytes
      }
    },
  }
}

/** Counts the archives of all tenants, each once, however many deployments use it. */
async function countArchives(folder: string): Promise<ArchiveBounds> {
  const taken = { count: 0, bytes: 0 }
  for (const tenant of await namesIn(folder)) {
    const shared = join(folder, tenant, 'shared')
    for (const name of await namesIn(shared)) {
      const found = await unless('ENOENT', stat(join(shared, name)), null)
      if (found === null) continue
      taken.count += 1
      taken.bytes += found.size
    }
  }
  return taken
}

/** The names in a folder; empty if the folder is missing or isn't one. */
async function namesIn(folder: string): Promise<string[]> {
  return unless('ENOTDIR', unless('ENOENT', readdir(folder), []), [])
}
