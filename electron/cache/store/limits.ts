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
