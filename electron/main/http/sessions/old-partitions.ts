import { existsSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessMissing } from '../../files/regular-file'

/** Where Chromium keeps what a page stores in a session that is not in memory: each has this, or nothing but such names. */
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
 * Removes what an earlier Slipway left on the disk: it had a lasting session for each environment, which Chromium kept
 * in a folder of its own below the user data, cookies and caches included, also after the environment was removed; and
 * another one for the page. Sessions are in memory now, so that every such folder is left over.
 *
 * The user data may be any folder that somebody names. So what the page stored goes only where Chromium made it, and
 * where `Partitions` beside it has at most sessions of environments; `Partitions` itself goes last, and without it there
 * is nothing to do. Rejects after the rest where one cannot be removed: it is tried again at the next start.
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
