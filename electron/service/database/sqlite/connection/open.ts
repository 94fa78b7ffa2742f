import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import type { EnvironmentMode } from '@contract/core/mode'
import { Refusal } from '../../../base/refusal'
import { StorageFailure } from '../../../base/storage-failure'
import { migrations } from './sqlite-migrations'
import { hasReadableTexts, isSound, readInstallation } from './soundness'
import { inTransaction } from './transaction'

export type Connection = Database.Database

/** How long to wait for another service in the same folder that is about to end, in milliseconds. */
const lockTimeout = 2_500

/** A file that is called `path` as long as nobody removes it. */
interface OpenFile {
  path: string
  inode: bigint | undefined
}

/** The lock of a folder. */
interface Lock {
  connection: Connection
  file: OpenFile
}

/** The locks of folders and the files of databases, by the connections of the services that hold them. */
const held = new WeakMap<Connection, { lock: Lock; database: OpenFile }>()

/**
 * Opens the database in `folder` for a service, and creates both if they are missing.
 *
 * It holds a lock until the process ends, however it ends, so that two services never share a folder. The lock is on a
 * file of its own, because commands use the database meanwhile.
 *
 * @throws {Refusal} if the folder can't be used, is in use, or belongs to another mode or a newer version, or if the
 *   database is damaged
 */
export function openDatabase(folder: string, mode: EnvironmentMode): Connection {
  const path = databaseIn(folder)
  return withRefusals(folder, () => {
    prepareFolder(folder)
    const lock = takeLock(lockIn(folder))
    const database = connect(path)
    held.set(database, { lock, database: openFile(path) })
    migrate(database, path)
    settleInstallation(database, path, mode)
    // The audit may be large, and no request reads it.
    if (!isSound(database, ['audit'])) throw damaged(path)
    return database
  })
}

/**
 * Opens the database in `folder` for a command, even while a service uses it.
 *
 * @param mode what to create a missing database for; null to create none
 * @throws {Refusal} if it is missing and isn't to be created, or if it can't be used
 */
export function visitDatabase(folder: string, mode: EnvironmentMode | null): Connection {
  const path = databaseIn(folder)
  return withRefusals(folder, () => {
    if (mode === null && !existsSync(path)) {
      throw new Refusal(`There is no database in ${folder}. Start the service once, or give its --mode.`)
    }
    prepareFolder(folder)
    const database = connect(path)
    migrate(database, path)
    if (mode !== null) settleInstallation(database, path, mode)
    else if (readInstallation(database) === null) throw damaged(path)
    if (!hasReadableTexts(database, 'api_keys')) throw damaged(path)
    return database
  })
}

/** Writes everything into the one database file, closes it, and releases the folder. */
export function closeDatabase(database: Connection): void {
  const lock = held.get(database)?.lock
  try {
    // A command leaves that to the service.
    if (lock !== undefined) database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk is full. The log beside the file has the rest, and the next start reads both.
  }
  database.close()
  lock?.connection.close()
}

/**
 * Throws a StorageFailure if the database was removed or replaced: what is written now would be lost with this process.
 * Throws one, too, if another service may use the folder, since the file with this one's lock was removed. If no other
 * has locked the folder meanwhile, takes the lock again. Does nothing for a command, which has none.
 */
export function requireFolder(database: Connection): void {
  const files = held.get(database)
  if (files === undefined) return
  const { lock } = files
  if (!isInPlace(files.database)) {
    throw new StorageFailure(
      'unavailable',
      `${files.database.path} was removed or replaced. Restart the service to use what is there now.`,
    )
  }
  if (isInPlace(lock.file)) return
  try {
    held.set(database, { ...files, lock: takeLock(lock.file.path, 0) })
  } catch (error) {
    const reason = (error as Error).message
    throw new StorageFailure(
      'unavailable',
      `${lock.file.path} was removed, and another service may use the folder now (${reason}). End one of them.`,
    )
  }
  lock.connection.close()
}

/**
 * Locks a folder, so that no service starts in it. Gives the function that unlocks it.
 *
 * @throws {Refusal} if a service uses it
 */
export function holdFolder(folder: string): () => void {
  return withRefusals(folder, () => {
    prepareFolder(folder)
    const lock = takeLock(lockIn(folder))
    return () => lock.connection.close()
  })
}

/** The file of the database in a folder. */
export function databaseIn(folder: string): string {
  return join(folder, 'deployments.sqlite')
}

/** Creates the folder if it is missing, and makes its files readable for the owner only. */
function prepareFolder(folder: string): void {
  const path = databaseIn(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const file of [path, `${path}-wal`, `${path}-shm`, lockIn(folder)]) {
    // Links may lead to files too.
    const found = statSync(file, { throwIfNoEntry: false })
    if (found?.isFile() === false) throw damaged(path)
    if (found) closeToOthers(file, found.mode)
  }
}

function lockIn(folder: string): string {
  return join(folder, 'service.lock')
}

/** Takes a lock. It is SQLite's exclusive lock on an empty file. */
function takeLock(file: string, timeout = lockTimeout): Lock {
  const connection = new Database(file, { timeout })
  try {
    connection.pragma('journal_mode = MEMORY')
    connection.exec('begin exclusive')
    return { connection, file: openFile(file) }
  } catch (error) {
    connection.close()
    throw error
  }
}

function openFile(path: string): OpenFile {
  return { path, inode: inodeOf(path) }
}

/** Whether a file still has its name. Not if its folder can't be read. */
function isInPlace({ path, inode }: OpenFile): boolean {
  try {
    return inodeOf(path) === inode
  } catch {
    return false
  }
}

/** Tells files apart; nothing if there is none. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino
}

/**
 * Opens a database. With `synchronous = FULL`, each answered creation is on disk and survives a power cut, which costs
 * half a millisecond. With NORMAL, it might not.
 */
function connect(path: string): Connection {
  const database = new Database(path, { timeout: lockTimeout })
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  return database
}

/** Runs `work`. Throws a Refusal instead of its errors. */
function withRefusals<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Refusal ? error : refusal(error, folder, databaseIn(folder))
  }
}

/** Makes a file readable for its owner only, if it was copied here or is from an earlier version. */
function closeToOthers(file: string, mode: number): void {
  try {
    if ((mode & 0o077) !== 0) chmodSync(file, 0o600)
  } catch {
    // Only its owner may.
  }
}

function migrate(database: Connection, path: string): void {
  const { user_version: version } = database.prepare('pragma user_version').get() as { user_version: number }
  if (version > migrations.length) {
    throw new Refusal(`${path} was made by a newer Slipway. Use that one, or another folder with --data.`)
  }
  // Writes nothing if the schema is up to date, because the disk may be full.
  if (version === migrations.length) return
  inTransaction(database, 'exclusive', () => {
    for (const migration of migrations.slice(version)) database.exec(migration)
    database.exec(`pragma user_version = ${migrations.length}`)
  })
}

function settleInstallation(database: Connection, path: string, mode: EnvironmentMode): void {
  database
    .prepare('insert into installation (only_row, mode, tenant_id) values (1, ?, ?) on conflict do nothing')
    .run(mode, randomUUID())
  const made = readInstallation(database)
  if (made === null) throw damaged(path)
  if (made !== mode) {
    throw new Refusal(
      `${path} holds deployments of a ${made} environment, but the service was started with --mode ${mode}. ` +
        `Use --mode ${made}, or another folder with --data.`,
    )
  }
}

function refusal(error: unknown, folder: string, path: string): Refusal {
  const { code, message } = error as { code?: string; message: string }
  if (code === 'SQLITE_BUSY') {
    return new Refusal(
      `${folder} is in use by another service. End that one, or use another folder with --data. ` +
        'Several services share deployments on PostgreSQL: see --database.',
    )
  }
  // SQLITE_ERROR: the tables aren't this service's.
  if (/^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(code ?? '')) return damaged(path)
  return new Refusal(`Cannot keep a database in ${folder}: ${message}`)
}

function damaged(path: string): Refusal {
  return new Refusal(
    `${path} is not a database of this service, or is damaged. Use another folder with --data.`,
    'damaged',
  )
}
