import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import type { EnvironmentMode } from '@contract/core/mode'
import { Refusal } from '../../base/refusal'
import { migrations } from './migrations'
import { isSound, readInstallation } from './soundness'
import { inTransaction } from './transaction'

export type Connection = Database.Database

/** How long to wait for another service that uses the folder and is just ending, in milliseconds. */
const lockTimeout = 2_500

/**
 * Opens the database in `folder`, and creates both if they are missing.
 *
 * The connection holds SQLite's exclusive lock until the process ends, however it ends, so that two services never
 * share a database. With `synchronous = FULL`, each answered creation is on disk and survives a power cut. It costs
 * half a millisecond. NORMAL wouldn't survive one.
 *
 * @throws {Refusal} if the folder can't be used, is in use, or belongs to another mode or a newer version, or if the
 * database is damaged
 */
export function openDatabase(folder: string, mode: EnvironmentMode): Connection {
  const path = join(folder, 'deployments.sqlite')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const file of [path, `${path}-wal`]) {
      // Links may lead to files too.
      const found = statSync(file, { throwIfNoEntry: false })
      if (found?.isFile() === false) throw damaged(path)
      if (found) closeToOthers(file, found.mode)
    }
    const database = new Database(path, { timeout: lockTimeout })
    database.pragma('locking_mode = EXCLUSIVE')
    database.pragma('journal_mode = WAL')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
    migrate(database, path)
    settleInstallation(database, path, mode)
    if (!isSound(database)) throw damaged(path)
    return database
  } catch (error) {
    throw error instanceof Refusal ? error : refusal(error, folder, path)
  }
}

/** Writes everything into the one database file and closes it. */
export function closeDatabase(database: Connection): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The disk is full. The file beside it keeps the rest, and the next start reads both.
  }
  database.close()
}

/** Lets only its owner read a file that was copied here or is from an earlier version. */
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
  // Writes nothing if there is nothing to do: the disk may be full.
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
  // SQLITE_ERROR: the tables aren't those of this service.
  if (/^SQLITE_(NOTADB|CORRUPT|ERROR)/.test(code ?? '')) return damaged(path)
  return new Refusal(`Cannot keep a database in ${folder}: ${message}`)
}

function damaged(path: string): Refusal {
  return new Refusal(
    `${path} is not a database of this service, or is damaged. Use another folder with --data.`,
    'damaged',
  )
}
