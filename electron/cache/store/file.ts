import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { asideSuffix, largestCache, type SetAside } from '../protocol'
import Database from 'libsql'
import { createSchema } from './database'

/** The files that belong to a database, by what is appended to its name. */
const companions = ['', '-wal', '-shm']

/**
 * The page size of a new file; existing files keep theirs. Most rows with a deployment's JSON text have 2 to 5 KB. On
 * pages of 8 KB, they would leave up to half of each page unused, which is encrypted and written too.
 */
const newPageBytes = 16_384

/** SQLITE_CORRUPT. Its extended codes have the same lowest byte. */
const corrupt = 11

/**
 * Opens the encrypted file, or creates it. Throws if it is damaged, the key doesn't open it, the folder can't be written
 * or the disk is full.
 */
export function openFile(file: string, key: string): { db: Database.Database } {
  mkdirSync(dirname(file), { recursive: true })
  // A log without its database would be taken for that of the new one.
  if (!existsSync(file)) removeDatabase(file)
  const db = new Database(file)
  try {
    db.exec(`pragma hexkey = '${key}'`)
    prepare(db, largestCache.gigabytes)
    return { db }
  } catch (error) {
    db.close()
    throw error
  }
}

/** Sets a file aside that an error was about, and says why and under which name. */
export const setAsideAfter = (error: unknown, file: string): SetAside => ({
  reason: errorCode(error) === 'SQLITE_NOTADB' ? 'wrong-key' : 'damaged',
  file: putAside(file),
})

/** Opens a database in memory. */
export function openMemory(): { db: Database.Database } {
  const db = new Database(':memory:')
  prepare(db, largestCache.gigabytesInMemory)
  return { db }
}

/** Renames a database's files, and gives the new name. */
export function putAside(file: string): string {
  const aside = `${file}${asideSuffix}${new Date().toISOString().replaceAll(':', '-')}`
  for (const suffix of companions) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix)
  }
  return basename(aside)
}

/** Removes a database and all its files that were set aside. */
export function removeFiles(file: string): void {
  removeDatabase(file)
  const folder = dirname(file)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(file)}${asideSuffix}`)) rmSync(join(folder, name), { force: true })
  }
}

/**
 * Whether an error means that the file itself is damaged. libsql has no names for the extended codes of SQLITE_CORRUPT.
 * Existing rows are always updated, so a violated unique constraint means that an index lost a row. A stored text that
 * is no JSON, or can't be unpacked, is damaged, too.
 */
export function isDamage(error: unknown): boolean {
  if (error instanceof SyntaxError) return true
  const code = errorCode(error)
  const unnamed = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code)?.[1]
  return (
    /^(?:SQLITE_(?:CORRUPT|NOTADB|CONSTRAINT_UNIQUE|CONSTRAINT_PRIMARYKEY)|Z_DATA_ERROR$)/.test(code) ||
    (Number(unnamed) & 0xff) === corrupt
  )
}

/**
 * Whether SQLite has only a text for an error: a statement is invalid, or names something that is missing or different.
 */
export function isUnnamed(error: unknown): boolean {
  return errorCode(error) === 'SQLITE_ERROR'
}

/**
 * Whether an error may mean that there is no room. SQLite reports only ENOSPC as full. A quota or a limit on a file's
 * size fails as a write error, as a disk that refuses writes does, and missing room for the log's shared memory as one
 * that couldn't grow.
 */
export function isDiskFull(error: unknown): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR_WRITE|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT|EFBIG)$/.test(errorCode(error))
}

/** A pragma's value that is a number. */
function setting(db: Database.Database, name: 'page_count' | 'page_size' | 'max_page_count'): number {
  const [row] = db.pragma(name) as Record<typeof name, number>[]
  return row?.[name] ?? 0
}

/** Whether a database has reached its largest size. */
export const isAtLimit = (db: Database.Database): boolean =>
  setting(db, 'page_count') >= setting(db, 'max_page_count')

/** How large the write-ahead log becomes before SQLite moves its pages into the database, in bytes. */
const checkpointBytes = { default: 16 * 1024 ** 2, bulk: 128 * 1024 ** 2 } as const

/** Sets how large the write-ahead log becomes: `bulk` for many writes one after another. */
export function setCheckpoints(db: Database.Database, size: keyof typeof checkpointBytes): void {
  db.pragma(`wal_autocheckpoint = ${checkpointBytes[size] / setting(db, 'page_size')}`)
}

/** Removes a database, but not its files that were set aside. */
export function removeDatabase(file: string): void {
  for (const suffix of companions) rmSync(file + suffix, { force: true })
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function prepare(db: Database.Database, gigabytes: number): void {
  // The page size must come first: it can't change once the file has content. Temporary files would be unencrypted, so
  // there are none. With a small cache, every scan would decrypt the whole table again.
  db.exec(`pragma page_size = ${newPageBytes}`)
  db.exec('pragma temp_store = memory')
  db.pragma('journal_mode = wal')
  db.exec('pragma synchronous = normal')
  db.exec('pragma cache_size = -65536')
  db.pragma(`max_page_count = ${(gigabytes * 1024 ** 3) / setting(db, 'page_size')}`)
  setCheckpoints(db, 'default')
  db.pragma('journal_size_limit = 67108864')
  createSchema(db)
}

/** How much of a disk is left free: this many bytes, or this share of a small disk. */
const leftFree = { bytes: 512 * 1024 ** 2, part: 0.05 } as const

/** There is no room for more. */
class NoRoom extends Error {
  /** The system's code for it. */
  readonly code = 'ENOSPC'
}

/** Throws `NoRoom` if writing to a folder would leave too little of its disk free. */
export function requireRoom(folder: string): void {
  const { bavail, bsize, blocks } = statfsSync(folder)
  if (bavail * bsize < Math.min(leftFree.bytes, leftFree.part * blocks * bsize)) {
    throw new NoRoom('too little of the disk is free')
  }
}
