import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { EnvironmentMode } from '@contract/core/mode'
import { Refusal } from '../../../base/refusal'
import type { StorageFailure } from '../../../base/storage-failure'
import { reasonOf } from './failures'
import { migrations } from './postgres-migrations'
import type { Servers } from './servers'

/** The advisory lock of the one instance that changes the schema or fills the database. Others wait for it. */
const lockKey = 5_721_946_003_118

/** Takes the lock, however long that takes, and holds it until the end of the transaction. */
export async function holdLock(client: PoolClient): Promise<void> {
  await client.query('set local statement_timeout = 0')
  await client.query({ text: 'select pg_advisory_xact_lock($1)', values: [lockKey], ...longTimeout })
}

/** For queries that may wait for another instance: a day. Zero would mean the connection's own limit. */
export const longTimeout = { query_timeout: 86_400_000 }

/**
 * Brings the schema up to date, and stores the mode of the database. A database that is up to date is only read, so
 * that an instance also starts while only a standby answers.
 *
 * @param where names the servers for people
 * @param mode null to accept any mode
 * @throws {Refusal} if the database can't be used, or belongs to another mode or a newer version
 */
export async function prepare(servers: Servers, where: string, mode: EnvironmentMode | null): Promise<void> {
  try {
    await checkEncoding(servers, where)
    const version = await readVersion(servers)
    if (version > migrations.length) {
      throw new Refusal(
        `The database at ${where} was made by a newer Slipway. Use that one, or another database.`,
      )
    }
    if (version === 0 && mode === null) {
      throw new Refusal(
        `The database at ${where} has no deployments yet. Start the service once, or give its --mode.`,
      )
    }
    if (version < migrations.length) await migrate(servers, mode)
    const made = await readMode(servers)
    if (mode !== null && made !== mode) {
      throw new Refusal(
        `The database at ${where} holds deployments of a ${made} environment, but the service was started with ` +
          `--mode ${mode}. Use --mode ${made}, or another database.`,
      )
    }
  } catch (error) {
    if (error instanceof Refusal) throw error
    const { reason } = error as Partial<StorageFailure>
    const cause = reason === undefined ? error : (error as StorageFailure).cause
    throw new Refusal(
      `Cannot use the database at ${where}: ${reasonOf(cause)}. Check that it runs, and that --database is right.`,
    )
  }
}

/** Only UTF-8 has every character that a client may send. */
async function checkEncoding(servers: Servers, where: string): Promise<void> {
  const [row] = await servers.read<{ server_encoding: string }>(
    { name: 'encoding', text: 'show server_encoding' },
    [],
  )
  if (row?.server_encoding === 'UTF8') return
  throw new Refusal(
    `The database at ${where} has the encoding ${row?.server_encoding}. Create one with the encoding UTF8: ` +
      'createdb --encoding=UTF8 --template=template0 NAME',
  )
}

/** How many steps the database has run. */
async function readVersion(servers: Servers): Promise<number> {
  const [row] = await servers.read<{ exists: boolean }>(
    { name: 'schema-exists', text: `select to_regclass('slipway.schema_version') is not null as exists` },
    [],
  )
  if (row?.exists !== true) return 0
  const [found] = await servers.read<{ version: number }>(
    { name: 'schema-version', text: 'select version from slipway.schema_version' },
    [],
  )
  return found?.version ?? 0
}

/**
 * Runs the steps that the database lacks. If another instance does it at the same time, waits, and then has nothing to
 * do.
 */
function migrate(servers: Servers, mode: EnvironmentMode | null): Promise<void> {
  return servers.transaction(async (client) => {
    await holdLock(client)
    await client.query(
      `create schema if not exists slipway;
       create table if not exists slipway.schema_version (
         only_row boolean primary key default true check (only_row),
         version integer not null
       );
       insert into slipway.schema_version (version) values (0) on conflict do nothing`,
    )
    const { rows } = await client.query<{ version: number }>('select version from slipway.schema_version')
    for (const migration of migrations.slice(rows[0]!.version))
      await client.query({ text: migration, ...longTimeout })
    await client.query('update slipway.schema_version set version = $1 where version < $1', [
      migrations.length,
    ])
    if (mode === null) return
    await client.query(
      'insert into slipway.installation (mode, tenant_id) values ($1, $2) on conflict do nothing',
      [mode, randomUUID()],
    )
  })
}

async function readMode(servers: Servers): Promise<string | undefined> {
  const [row] = await servers.read<{ mode: string }>(
    { name: 'mode', text: 'select mode from slipway.installation' },
    [],
  )
  return row?.mode
}
