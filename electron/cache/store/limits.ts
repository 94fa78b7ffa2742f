import { statfsSync } from 'node:fs'

/** How much of a disk is left free: this many bytes, or this share of a small disk. */
const leftFree = { bytes: 512 * 1024 ** 2, part: 0.05 } as const

/** There is no room for more. */
class NoRoom extends Error {
  /** The system's code for it. */
  readonly code = 'ENOSPC'
}

/** Throws `NoRoom` if writing to a folder would leave too little of its disk free. */
export function requireRoom(folder: string): void {
  const { bavail, bsize, blocks } = statfsSync(folder)
  if (bavail * bsize < Math.min(leftFree.bytes, leftFree.part * blocks * bsize)) {
    throw new NoRoom('too little of the disk is free')
  }
}

/** The caches in memory have reached their limit. */
export class NoMemory extends Error {
  override message = 'the caches in memory have reached their limit'
}

/** Throws `NoMemory` if caches of these sizes reach the limit for all of them, in bytes. */
export function requireMemory(sizes: number[], max: number): void {
  if (sizes.reduce((sum, size) => sum + size, 0) >= max) throw new NoMemory()
}
