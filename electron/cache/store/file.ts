import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SetAside } from '@contract/cache'
import Database from 'libsql'
import { migrate, NewerSchema } from './schema'

/** The files that belong to a database, by what is appended to its name. */
const companions = ['', '-wal', '-shm']

/** How many files that were set aside are kept for an environment. */
const keptAside = 2

/** An open database and, where the file could not be used, under which name it was set aside. */
export interface OpenedFile {
  db: Database.Database
  setAside: SetAside | null
}

/**
 * Opens the encrypted file, or makes it. One that is damaged, that the key does not open or that a newer Slipway wrote
 * is renamed and a new one begun: it is a cache. Throws when the folder cannot be written or the disk is full.
 */
export function openFile(file: string, key: string): OpenedFile {
  mkdirSync(dirname(file), { recursive: true })
  const existed = existsSync(file)
  try {
    return { db: connect(file, key), setAside: null }
  } catch (error) {
    if (!existed || !(isDamage(error) || error instanceof NewerSchema)) throw error
    const reason = errorCode(error) === 'SQLITE_NOTADB' ? 'wrong-key' : 'damaged'
    const setAside = { reason, file: putAside(file) } as const
    return { db: connect(file, key), setAside }
  }
}

/** Opens a database that lives in memory only. */
export function openMemory(): Database.Database {
  const db = new Database(':memory:')
  prepare(db)
  return db
}

/** Renames a database's files, keeps the newest few of those set aside, and gives the new name. */
export function putAside(file: string): string {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').slice(0, 15)
  const aside = `${file}.damaged-${stamp}`
  for (const suffix of companions) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
  }
  const older = asideFiles(file).slice(0, -keptAside)
  for (const name of older) for (const suffix of companions) rmSync(name + suffix, { force: true })
  return basename(aside)
}

/** Removes a database and whatever was set aside of it. */
export function removeFiles(file: string): void {
  for (const name of [file, ...asideFiles(file)]) {
    for (const suffix of companions) rmSync(name + suffix, { force: true })
  }
}

/** Whether an error says that the file itself is bad. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(errorCode(error))
}

/**
 * Whether an error says that there is no room. SQLite calls only ENOSPC full: a quota or a limit on a file's size fails
 * as a write that could not be done, and no room for the shared memory of the log as one that could not grow.
 */
export function isDiskFull(error: unknown): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_WRITE|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT|EFBIG)$/.test(errorCode(error))
}

function asideFiles(file: string): string[] {
  const folder = dirname(file)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}.damaged-`) && !/-(wal|shm)$/.test(name))
    .sort()
    .map((name) => join(folder, name))
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function connect(file: string, key: string): Database.Database {
  const db = new Database(file, { encryptionCipher: 'aes256cbc', encryptionKey: key } as Database.Options)
  try {
    prepare(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function prepare(db: Database.Database): void {
  // The page size must come first: it cannot be changed once something is in the file. Temporary files would be in
  // the clear, so there are none. With a small cache every scan would decrypt the whole table again.
  db.exec('pragma page_size = 8192')
  db.exec('pragma temp_store = memory')
  db.pragma('journal_mode = wal')
  db.exec('pragma synchronous = normal')
  db.exec('pragma cache_size = -65536')
  db.pragma(`wal_autocheckpoint = ${checkpointPages.usual}`)
  db.pragma('journal_size_limit = 67108864')
  migrate(db)
}

/** After how many pages of 8 KB in the write-ahead log SQLite moves them into the database. */
export const checkpointPages = { usual: 2000, bulk: 16000 } as const
