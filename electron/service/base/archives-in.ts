import { join } from 'node:path'

/** Where a service keeps archives whose data is in a folder, unless it is told otherwise. */
export function archivesIn(folder: string): string {
  return join(folder, 'archives')
}
