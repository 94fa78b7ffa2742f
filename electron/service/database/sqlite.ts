import { existsSync, mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import { Refusal, StorageFailure } from '../base/failures'
import type { Database } from './database'
import type { Tables } from './tables'

/** How long to wait for another service in the same folder that is about to end, in milliseconds. */
const lockTimeout = 2_500

/** The space that has to stay free, in bytes: enough for some of the largest creations, in the database and in its log. */
const leastFree = 8 * 1024 * 1024

/** How many statements stay prepared. */
const mostPrepared = 200

/** Codes of errors that come from the disk or the machine instead of a statement. */
const ofTheMachine = /^SQLITE_(?:IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT)/

/** The file of the database in a folder. */
export const databaseIn = (folder: string): string => join(folder, 'deployments.sqlite')

/**
 * Opens the database in a folder, and creates both if they are missing.
 *
 * @param holds whether to keep other services out of the folder until the process ends, however it ends. Commands use the
 *   database meanwhile
 * @throws {Refusal} if the folder can't be used, is in use, or has a damaged database
 */
export function openSqlite(folder: string, holds: boolean): { database: Database; kysely: Kysely<Tables> } {
  return withRefusals(folder, () => {
    const path = databaseIn(folder)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const leave = holds ? holdFolder(folder) : () => undefined
    const connection = new Libsql(path, { timeout: lockTimeout })
    connection.pragma('journal_mode = WAL')
    // Each answered creation is on the disk, and survives a power cut.
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    // Otherwise damage would only show in the first request that meets it.
    if (holds && !isSound(connection)) throw damaged(path)
    const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: driverOf(connection) }) })
    return {
      kysely,
      database: {
        isPostgres: false,
        read: (work) => work(kysely),
        write: (work) => kysely.transaction().execute(work),
        requireRoom() {
          const { bavail, bsize } = statfsSync(path)
          if (bavail * bsize < leastFree)
            throw new StorageFailure('full', `${Math.floor((bavail * bsize) / 1024)} KiB are left`)
        },
        pools: () => [],
        async close() {
          try {
            // Everything is in one file then. A command leaves that to the service.
            if (holds) connection.pragma('wal_checkpoint(TRUNCATE)')
          } catch {
            // The disk is full. The next start reads the log beside the file too.
          }
          await kysely.destroy()
          leave()
        },
      },
    }
  })
}

/** A connection as Kysely uses it. Keeps statements prepared, and throws StorageFailures. */
function driverOf(connection: Libsql.Database): SqliteDatabase {
  const prepared = new Map<string, ReturnType<SqliteDatabase['prepare']>>()
  return {
    close: () => void connection.close(),
    prepare(text) {
      const known = prepared.get(text)
      if (known !== undefined) return known
      // Another process may write between the first read of a transaction and its first write.
      const statement = withStorageFailures(() =>
        connection.prepare(text === 'begin' ? 'begin immediate' : text),
      )
      const run = (parameters: readonly unknown[]) =>
        withStorageFailures(() => statement.run([...parameters]))
      const made: ReturnType<SqliteDatabase['prepare']> = {
        reader: statement.reader,
        all: (parameters) => withStorageFailures(() => statement.all([...parameters])),
        // On a full disk, SQLite has already rolled back. Another rollback would fail and hide the reason.
        run: (parameters) =>
          text === 'rollback' && !connection.inTransaction
            ? { changes: 0, lastInsertRowid: 0 }
            : run(parameters),
        iterate: (parameters) => statement.iterate([...parameters]),
      }
      if (prepared.size >= mostPrepared) prepared.clear()
      prepared.set(text, made)
      return made
    },
  }
}

/** Runs `work`. Throws a StorageFailure instead of SQLite's error if the disk or the machine caused it. */
function withStorageFailures<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code)
    if (code === 'SQLITE_FULL') throw new StorageFailure('full', error)
    throw ofTheMachine.test(code) ? new StorageFailure('unavailable', error) : error
  }
}

/**
 * Locks a folder, so that no service starts in it. Gives the function that unlocks it. It is SQLite's exclusive lock on an
 * empty file of its own.
 *
 * @throws {Refusal} if a service uses it
 */
export function holdFolder(folder: string): () => void {
  return withRefusals(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const lock = new Libsql(join(folder, 'service.lock'), { timeout: lockTimeout })
    try {
      lock.pragma('journal_mode = MEMORY')
      lock.exec('begin exclusive')
      return () => {
        // Closing alone leaves the lock until the statements are collected as garbage.
        lock.exec('rollback')
        lock.close()
      }
    } catch (error) {
      lock.close()
      throw error
    }
  })
}

/** Opens the database in a folder as it is; nothing if there is none. */
export function requireDatabase(folder: string): string {
  const path = databaseIn(folder)
  if (existsSync(path)) return path
  throw new Refusal(`There is no database in ${folder}. Start the service once, or give its --mode.`)
}

/** Whether a database is intact. Throws SQLite's errors. */
export function isSound(connection: Libsql.Database): boolean {
  const [found] = connection.pragma('integrity_check(1)') as { integrity_check: string }[]
  return found?.integrity_check === 'ok'
}

/** Runs `work`. Throws a Refusal instead of SQLite's errors. */
function withRefusals<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw refusalOf(error, folder)
  }
}

/** The refusal for an error about the database in a folder. */
export function refusalOf(error: unknown, folder: string): Refusal {
  if (error instanceof Refusal) return error
  const cause = error instanceof StorageFailure ? error.cause : error
  const { code = '', message } = cause as { code?: string; message: string }
  if (code === 'SQLITE_BUSY') {
    return new Refusal(
      `${folder} is in use by another service. End that one, or use another folder with --data. ` +
        'Several services share deployments on PostgreSQL: see --database.',
    )
  }
  // SQLITE_ERROR: the tables aren't this service's.
  if (/^SQLITE_(?:NOTADB|CORRUPT|ERROR|CANTOPEN)/.test(code) && existsSync(databaseIn(folder)))
    return damaged(databaseIn(folder))
  return new Refusal(`Cannot keep a database in ${folder}: ${message}`)
}

function damaged(path: string): Refusal {
  return new Refusal(
    `${path} is not a database of this service, or is damaged. Use another folder with --data.`,
    'damaged',
  )
}
