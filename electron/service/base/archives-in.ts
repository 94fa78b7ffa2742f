import { join } from 'node:path'

/** Where archives are stored by default, if the data is in a folder. */
export function archivesIn(folder: string): string {
  return join(folder, 'archives')
}
