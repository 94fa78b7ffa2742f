import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where Chromium keeps what a page stores in a session that is not in memory. */
const pageStorage = [
  'File System',
  'IndexedDB',
  'Local Storage',
  'Service Worker',
  'Session Storage',
  'WebStorage',
  'databases',
]

/**
 * Removes what an earlier Slipway left on the disk: it had a lasting session for each environment, which Chromium kept
 * in a folder of its own below the user data, cookies and caches included, also after the environment was removed; and
 * another one for the page. Sessions are in memory now, so that every such folder is left over. Rejects when one cannot
 * be removed.
 */
export async function removeOldPartitions(userDataFolder: string): Promise<void> {
  for (const name of pageStorage) await rm(join(userDataFolder, name), { recursive: true, force: true })
  const folder = join(userDataFolder, 'Partitions')
  let names: string[]
  try {
    names = await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  for (const name of names.filter((one) => one.startsWith('environment-'))) {
    await rm(join(folder, name), { recursive: true, force: true })
  }
}
