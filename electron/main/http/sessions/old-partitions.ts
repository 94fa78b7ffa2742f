import { existsSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../../files/regular-file'

/**
 * The entries in which Chromium stores a page's data. Each is recognised by a file in it, or by the names of all its
 * entries.
 */
const pageStorage: Record<string, string | RegExp> = {
  'File System': 'Origins',
  IndexedDB: /\.indexeddb\.(?:leveldb|blob)$/,
  'Local Storage': 'leveldb/CURRENT',
  'Service Worker': 'Database',
  'Session Storage': 'CURRENT',
  WebStorage: 'QuotaManager',
  databases: 'Databases.db',
}

/**
 * Removes what earlier versions of Slipway left on the disk. They had a persistent session for each environment and one
 * for the page, in folders below the user data, with cookies and caches. Removed environments left theirs behind.
 * Sessions are in memory now, so all these folders are obsolete.
 *
 * The user data may be in any folder (`--user-data-dir`). So the page's data is only removed if Chromium made it and
 * `Partitions` beside it contains only sessions of environments. `Partitions` itself goes last. Without it, there is
 * nothing to do. If an entry can't be removed, the others still are, the call rejects, and the next start tries again.
 */
export async function removeOldPartitions(userDataFolder: string): Promise<void> {
  const folder = join(userDataFolder, 'Partitions')
  const names = await readdir(folder).catch(unlessMissing)
  if (names === null) return
  const old = names.filter((name) => name.startsWith('environment-'))
  const isOurs = old.length === names.length
  const leftOver = old.map((name) => join(folder, name))
  for (const [name, sign] of isOurs ? Object.entries(pageStorage) : []) {
    const path = join(userDataFolder, name)
    if (await isOfChromium(path, sign)) leftOver.push(path)
  }
  const ends = await Promise.allSettled(leftOver.map((path) => rm(path, { recursive: true })))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  if (isOurs) await rmdir(folder)
}

/** Whether Chromium made a folder. */
async function isOfChromium(path: string, sign: string | RegExp): Promise<boolean> {
  if (typeof sign === 'string') return existsSync(join(path, sign))
  const names = await readdir(path).catch(() => [])
  return names.length > 0 && names.every((name) => sign.test(name))
}
