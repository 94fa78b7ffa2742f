import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from './disk'

/** How much all archives may take together. */
export interface ArchiveBounds {
  /** How many there may be. */
  count: number
  bytes: number
}

/** Why there is no room for an archive: there are as many as there may be, or it would take more than is left. */
export type NoRoom = 'too many' | 'no room'

/** The room for archives. */
export interface Room {
  /**
   * Keeps room for an archive while it is saved. Gives the function to call at its end, or why there is none.
   *
   * @param bytes its size
   */
  reserve(bytes: number): Promise<((isSaved: boolean) => void) | NoRoom>
}

/** For how long the files that were counted count, in milliseconds. Other instances, and deletions, change them. */
const freshMs = 5_000

/**
 * Counts what archives take. Several instances that share a folder count what the others have saved, but not what they
 * are just saving: the bounds may be exceeded by that.
 *
 * @param folder the folder of everything
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

/** Counts the archives of all tenants, each once, however many deployments have it. */
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

/** The names in a folder; none if it is missing, or is none. */
async function namesIn(folder: string): Promise<string[]> {
  return unless('ENOTDIR', unless('ENOENT', readdir(folder), []), [])
}
