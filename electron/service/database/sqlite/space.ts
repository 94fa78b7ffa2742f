import { statfsSync } from 'node:fs'
import { StorageFailure } from '../../base/storage-failure'

/** The space that has to be left, in bytes: for some of the largest creations, in the database and in its log. */
const leastFree = 8 * 1024 * 1024

/**
 * Throws a StorageFailure if the disk of a file is full or almost. Small creations may still fit into what the database
 * has already, and only a large one would show it.
 */
export function requireSpace(file: string): void {
  const { bavail, bsize } = statfsSync(file)
  const free = bavail * bsize
  if (free < leastFree) throw new StorageFailure('full', `${Math.floor(free / 1024)} KiB are left`)
}
