import { rmSync } from 'node:fs'
import { cacheFileSuffixes } from '@contract/cache'
import { nodeFiles } from '../../files'

/** How often a cache may end its process within `withinMs` before it is set aside. */
const maxCrashes = 1
const withinMs = 7 * 24 * 60 * 60_000

/**
 * Remembers which caches crashed their process, even after a restart of the application. A file that crashes SQLite or
 * its driver does so whenever it is opened.
 */
export interface Crashes {
  /** Notes that the cache in a file crashed its process. */
  note: (file: string) => void
  /** Whether it crashed too often to be opened again. */
  tooMany: (file: string) => boolean
  /** Forgets a file: it was set aside, or removed. */
  forget: (file: string) => void
}

/** `now` gives milliseconds since 1970. */
export function createCrashes(now: () => number = Date.now): Crashes {
  // If the disk is full, at least this session remembers.
  const inSession = new Map<string, number[]>()

  const recent = (file: string): number[] => {
    const times = new Set([...(inSession.get(file) ?? []), ...read(file)])
    return [...times].filter((at) => Math.abs(now() - at) < withinMs)
  }

  return {
    note(file) {
      const times = [...recent(file), now()]
      inSession.set(file, times)
      try {
        nodeFiles.now.write(besides(file), JSON.stringify(times))
      } catch {
        // The session remembers.
      }
    },
    tooMany: (file) => recent(file).length > maxCrashes,
    forget(file) {
      inSession.delete(file)
      rmSync(besides(file), { force: true })
    },
  }
}

const besides = (file: string): string => `${file}${cacheFileSuffixes.crashes}`

function read(file: string): number[] {
  try {
    const times: unknown = JSON.parse(nodeFiles.now.read(besides(file))?.toString('utf8') ?? '[]')
    return Array.isArray(times) ? times.filter((at) => typeof at === 'number') : []
  } catch {
    return []
  }
}
