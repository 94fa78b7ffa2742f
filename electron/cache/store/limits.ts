import { statfsSync } from 'node:fs'

/** What is left free on a disk: this many bytes, or this part of a small one. */
const leftFree = { bytes: 512 * 1024 ** 2, part: 0.05 } as const

/** There is no room for more. */
export class NoRoom extends Error {
  /** As the system says it. */
  readonly code = 'ENOSPC'
}

/** Throws `NoRoom` where writing to a folder would leave too little of its disk free. */
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

/** Throws `NoMemory` where caches of these sizes take as much as all together may, in bytes. */
export function requireMemory(sizes: number[], most: number): void {
  if (sizes.reduce((sum, size) => sum + size, 0) >= most) throw new NoMemory()
}
