import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type * as fsPromises from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { removeOldPartitions } from '../../../../../../electron/main/http/sessions/old-partitions'
import { temporaryFolder } from '../../../../../support/temporary-folder'

/** A folder that another process has open, as on Windows. */
const stuck = vi.hoisted(() => ({ path: null as string | null }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fsPromises>()
  const rm: typeof real.rm = (path, options) =>
    path === stuck.path ? Promise.reject(new Error('EBUSY')) : real.rm(path, options)
  return { ...real, rm }
})

let userData: string

beforeEach(() => {
  userData = temporaryFolder()
})

test('removes the sessions that environments had on the disk, and nothing else', async () => {
  for (const name of ['environment-1f0e', 'environment-built-in-cloud', 'of-someone-else']) {
    mkdirSync(join(userData, 'Partitions', name, 'Network'), { recursive: true })
    writeFileSync(join(userData, 'Partitions', name, 'Network', 'Cookies'), 'a cookie')
  }
  writeFileSync(join(userData, 'environments.json'), '{}')
  await removeOldPartitions(userData)
  expect(readdirSync(join(userData, 'Partitions'))).toEqual(['of-someone-else'])
  expect(readdirSync(userData).sort()).toEqual(['Partitions', 'environments.json'])
})

/** Writes a file into the folder, and creates its parent folders. */
function put(path: string): void {
  mkdirSync(dirname(join(userData, path)), { recursive: true })
  writeFileSync(join(userData, path), 'something')
}

/** The files as Chromium lays them out. */
const ofThePage = [
  'File System/Origins/CURRENT',
  'IndexedDB/app_slipway_0.indexeddb.leveldb/CURRENT',
  'Local Storage/leveldb/CURRENT',
  'Service Worker/Database/CURRENT',
  'Session Storage/CURRENT',
  'WebStorage/QuotaManager',
  'databases/Databases.db',
]

test('removes the data of the page, once', async () => {
  put('Partitions/environment-1f0e/Network/Cookies')
  for (const path of [...ofThePage, 'cache/a']) put(path)
  await removeOldPartitions(userData)
  expect(readdirSync(userData)).toEqual(['cache'])
  for (const path of ofThePage) put(path)
  await removeOldPartitions(userData)
  expect(readdirSync(userData)).toHaveLength(1 + ofThePage.length)
})

test('leaves other folders alone, whichever folder Slipway is started with', async () => {
  const own = ['databases/customers.sqlite', 'IndexedDB/notes.txt', 'File System/a', 'Local Storage/b']
  for (const path of own) put(path)
  await removeOldPartitions(userData)
  expect(readdirSync(userData)).toHaveLength(4)
  // Nor those of another program beside the sessions of Slipway.
  for (const path of ['Partitions/of-someone-else/Cookies', ...ofThePage]) put(path)
  await removeOldPartitions(userData)
  expect(readdirSync(userData)).toHaveLength(1 + ofThePage.length)
  rmSync(join(userData, 'Partitions'), { recursive: true })
  put('Partitions/environment-1f0e/Cookies')
  for (const path of ofThePage) {
    rmSync(join(userData, path.split('/')[0]!), { recursive: true, force: true })
  }
  for (const path of own) put(path)
  await removeOldPartitions(userData)
  expect(readdirSync(userData).sort()).toEqual(['File System', 'IndexedDB', 'Local Storage', 'databases'])
})

test("removes the rest if one can't be removed, and tries again at the next start", async () => {
  put('Partitions/environment-1f0e/Cookies')
  for (const path of ofThePage) put(path)
  stuck.path = join(userData, 'Local Storage')
  await expect(removeOldPartitions(userData)).rejects.toThrow('EBUSY')
  expect(readdirSync(userData).sort()).toEqual(['Local Storage', 'Partitions'])
  stuck.path = null
  await removeOldPartitions(userData)
  expect(readdirSync(userData)).toEqual([])
})

test('does nothing if there never were any', async () => {
  await expect(removeOldPartitions(userData)).resolves.toBeUndefined()
  expect(readdirSync(userData)).toEqual([])
})
