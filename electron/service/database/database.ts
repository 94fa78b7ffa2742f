import { randomBytes, randomUUID } from 'node:crypto'
import { type Kysely, Migrator, type Transaction } from 'kysely'
import type { EnvironmentMode } from '@contract/app/environment'
import { Refusal } from '../base/failures'
import { migrationsFor, type Tables } from './tables'

/** Where the data is: in a folder that only this process uses, or in a PostgreSQL database that several share. */
export type Place =
  | { folder: string }
  | {
      /** It may contain a password: never show it. */
      connectionString: string
      /** The largest number of connections. */
      connections: number
    }

/** The use of the connections of a pool. */
export interface PoolUse {
  pool: 'reads' | 'writes'
  open: number
  idle: number
  /** Statements that wait for a connection. */
  waiting: number
}

/** An open database. Its methods reject with a StorageFailure if the disk, the machine or the connection fails. */
export interface Database {
  isPostgres: boolean
  /** Runs `work`, which only reads. Repeats it if a connection is lost. */
  read<T>(work: (database: Kysely<Tables>) => Promise<T>): Promise<T>
  /** Runs `work` so that all of its writes last, or none. */
  write<T>(work: (transaction: Transaction<Tables>) => Promise<T>): Promise<T>
  /** Throws a StorageFailure if the disk has almost no room left, as far as that is known. */
  requireRoom(): void
  /** Empty without connections. */
  pools(): PoolUse[]
  close(): Promise<void>
}

/** Splits rows so that a statement can insert them: SQLite takes 32,766 values at once. */
export function* inChunks<Row>(rows: readonly Row[]): Generator<Row[], void> {
  for (let start = 0; start < rows.length; start += 500) yield rows.slice(start, start + 500)
}

/** What identifies an installation of the service. */
export interface Installation {
  /** The tenant of everything that belongs to no other one. */
  tenantId: string
  /** The key that signs addresses for uploads. */
  ticketKey: Buffer
}

/**
 * Creates the tables if there are none, and reads the installation.
 *
 * @param database for writing, on the tables' schema
 * @param place names the database for people
 * @param mode the required mode; null to accept any, and to create nothing
 * @param tenantId the tenant of a new installation; a new one by default
 * @throws {Refusal} if the database belongs to another mode or version, or isn't this service's
 */
export async function prepareTables(
  database: Kysely<Tables>,
  {
    isPostgres,
    place,
    mode,
    tenantId,
  }: { isPostgres: boolean; place: string; mode: EnvironmentMode | null; tenantId?: string },
): Promise<Installation> {
  const migrations = migrationsFor(isPostgres ? 'slipway.' : '', isPostgres ? 'bigserial' : 'integer')
  const migrator = new Migrator({
    db: database.withoutPlugins(),
    provider: { getMigrations: () => Promise.resolve(migrations) },
    ...(isPostgres ? { migrationTableSchema: 'slipway' } : {}),
  })
  if (mode === null && !(await hasTables(database, isPostgres))) {
    throw new Refusal(`${place} has no deployments yet. Start the service once, or give its --mode.`)
  }
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) {
    if (!(error instanceof Error && error.message.startsWith('corrupted migrations'))) throw error as Error
    throw new Refusal(`${place} was made by another version of Slipway. Use that one, or another place.`)
  }
  const find = () => database.selectFrom('installation').selectAll().executeTakeFirst()
  let found = await find()
  if (found === undefined && mode !== null) {
    const ticketKey = randomBytes(32).toString('hex')
    await database
      .insertInto('installation')
      .values({ only_row: 1, mode, tenant_id: tenantId ?? randomUUID(), ticket_key: ticketKey })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    found = await find()
  }
  if (found === undefined) throw new Refusal(`${place} is not a database of this service.`, 'damaged')
  if (mode !== null && found.mode !== mode) {
    throw new Refusal(
      `${place} holds deployments of a ${found.mode} environment, but the service was started with --mode ${mode}. ` +
        `Use --mode ${found.mode}, or another place.`,
    )
  }
  return { tenantId: found.tenant_id, ticketKey: Buffer.from(found.ticket_key, 'hex') }
}

async function hasTables(database: Kysely<Tables>, isPostgres: boolean): Promise<boolean> {
  const tables = await database.introspection.getTables()
  return tables.some(({ name, schema }) => name === 'installation' && (!isPostgres || schema === 'slipway'))
}
