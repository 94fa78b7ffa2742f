import { statfsSync } from 'node:fs'
import { StorageFailure } from '../../../base/storage-failure'

/**
 * The space that has to stay free, in bytes: enough for some of the largest creations, in the database and in its log.
 */
const leastFree = 8 * 1024 * 1024

/**
 * Throws a StorageFailure if a file's disk is full or almost full. Otherwise only a large creation would show that:
 * small ones still fit into the space that the database has already.
 */
export function requireSpace(file: string): void {
  const { bavail, bsize } = statfsSync(file)
  const free = bavail * bsize
  if (free < leastFree) throw new StorageFailure('full', `${Math.floor(free / 1024)} KiB are left`)
}
