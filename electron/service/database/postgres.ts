import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import { Client, Pool, type PoolClient, types } from 'pg'
import { Refusal, StorageFailure } from '../base/failures'
import type { Database, PoolUse } from './database'
import type { Tables } from './tables'

/** How long a statement may take, in milliseconds. After that, the server cancels it and rolls it back. */
const statementMs = 7_000

/** How long to wait for an answer, in milliseconds: longer than a statement may take, so that it only ends silence. */
const answerMs = 8_000

/** How long to wait for a connection, in milliseconds, whether new or used by others. */
const connectMs = 3_000

/** The pauses between the attempts of a read, in milliseconds. Together they outlast a restart of the server. */
const pauses = [0, 100, 400, 1_000, 2_000]

/** How long a read is repeated, in milliseconds. It isn't repeated if the server was silent. */
const tryingMs = 5_000

/** Statements with more parameters, such as lists of identifiers, aren't kept prepared: each number has its own text. */
const mostParameters = 60

/**
 * Opens a database. Reads and writes use separate connections: if a synchronous standby is gone, commits wait for it, and
 * reads don't.
 *
 * @param connections how many there are at most
 * @throws {Refusal} if the connection string is invalid. The message doesn't show it, because it may contain a password
 */
export function openPostgres(
  connectionString: string,
  connections: number,
): { database: Database; kysely: Kysely<Tables>; address: string } {
  const address = addressOf(connectionString)
  const forReads = Math.ceil(connections / 2)
  const reads = poolOf(connectionString, forReads)
  const writes = poolOf(connectionString, connections - forReads)
  const [reader, writer] = [kyselyOn(reads), kyselyOn(writes)]

  async function read<T>(work: (database: Kysely<Tables>) => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    let failure: StorageFailure | undefined
    for (const wait of pauses) {
      if (failure !== undefined && performance.now() - startedAt > tryingMs) break
      if (wait > 0) await pause(wait)
      try {
        return await work(reader)
      } catch (error) {
        if (!(error instanceof StorageFailure)) throw error
        failure = error
      }
    }
    throw new StorageFailure('unavailable', failure?.cause)
  }

  return {
    kysely: writer,
    address,
    database: {
      isPostgres: true,
      read,
      write: (work) => writer.transaction().execute(work),
      requireRoom: () => undefined,
      pools: () => [useOf('reads', reads), useOf('writes', writes)],
      async close() {
        await Promise.all([reader.destroy(), writer.destroy()])
      },
    },
  }
}

const useOf = (pool: PoolUse['pool'], { totalCount, idleCount, waitingCount }: Pool): PoolUse => ({
  pool,
  open: totalCount,
  idle: idleCount,
  waiting: waitingCount,
})

function poolOf(connectionString: string, max: number): Pool {
  const pool = new Pool({
    connectionString,
    max,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementMs,
    // An instance that hangs inside a transaction must not keep its locks.
    idle_in_transaction_session_timeout: statementMs,
    query_timeout: answerMs,
    keepAlive: true,
    fallback_application_name: 'slipway-service',
    // All numbers of this service fit into a double.
    types: {
      getTypeParser: ((oid: number, format: 'text'): unknown =>
        oid === Number(types.builtins.INT8)
          ? Number
          : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  })
  // If a connection breaks during a query, the query fails. If it was idle, nobody has to know.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

function kyselyOn(pool: Pool): Kysely<Tables> {
  const dialect = new PostgresDialect({
    pool: {
      connect: async () => clientOf(await pool.connect().catch(failWith('unavailable'))),
      end: () => pool.end(),
    },
  })
  return new Kysely<Tables>({ dialect }).withSchema('slipway')
}

/** A connection as Kysely uses it: it throws StorageFailures, and isn't used again once it is lost. */
function clientOf(client: PoolClient): PostgresPoolClient {
  let isLost = false
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    // The server rolls back by itself, and would not answer.
    if (isLost) return { command: 'ROLLBACK', rowCount: 0, rows: [] }
    try {
      return await client.query({ ...nameOf(text, values), text, values: [...values] })
    } catch (error) {
      const meaning = meaningOf(error)
      if (meaning === null) throw error
      isLost = meaning.isLost
      throw new StorageFailure(meaning.reason, error)
    }
  }
  return { query: query as PostgresPoolClient['query'], release: () => client.release(isLost) }
}

/** The name under which a connection keeps a statement prepared. */
function nameOf(text: string, values: readonly unknown[]): { name?: string } {
  if (values.length === 0 || values.length > mostParameters) return {}
  return { name: createHash('sha1').update(text).digest('base64') }
}

const failWith = (reason: StorageFailure['reason']) => (error: unknown) => {
  throw new StorageFailure(reason, new Error(reasonOf(error), { cause: error }))
}

/** The meaning of a driver's error. */
interface Meaning {
  reason: StorageFailure['reason']
  /** Whether the connection can no longer be used. */
  isLost: boolean
}

const lost: Meaning = { reason: 'uncertain', isLost: true }

/** Meanings by the beginning of the SQLSTATE. The code comes from the server, so the statement was rolled back. */
const meanings: [RegExp, Meaning][] = [
  [/^53100$/, { reason: 'full', isLost: false }],
  // The server ends, restarts or recovers, or the protocol broke.
  [/^(?:57P0|08|XX000)/, lost],
  // A standby: the address leads elsewhere by the next connection.
  [/^25006/, { reason: 'unavailable', isLost: true }],
  // A deadlock; no room for a connection or no memory; a time limit; a lock; a disk that fails; a damaged table.
  [/^(?:40|53|57014|55P03|58|XX00)/, { reason: 'unavailable', isLost: false }],
]

/** The meaning of an error that a server or the driver reports; null if it is a bug of the program. */
export function meaningOf(error: unknown): Meaning | null {
  const { code, severity, file } = error as { code?: unknown; severity?: unknown; file?: unknown }
  if (typeof severity === 'string' && typeof code === 'string') {
    // Without room for its log, the server ends, and the log may already have the statement.
    if (code === '53100' && String(file).startsWith('xlog')) return lost
    return meanings.find(([codes]) => codes.test(code))?.[1] ?? null
  }
  // An error that isn't a server's answer comes from the connection, unless the driver was called incorrectly.
  return error instanceof TypeError || error instanceof RangeError ? null : lost
}

/** Why a server can't be reached, for people. A name may have several addresses, each with an error. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}

/** The host and port of a connection string, or its socket's folder, for people. */
function addressOf(connectionString: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(connectionString)) throw notReadable()
  try {
    const { host, port } = new Client({ connectionString })
    if (host.includes(',')) throw notReadable()
    return host.startsWith('/') ? host : `${host}:${port}`
  } catch (error) {
    // The file of a certificate can't be read. Other messages may show the connection string.
    const { code, path } = error as { code?: string; path?: string }
    throw path === undefined ? notReadable() : new Refusal(`--database: cannot read ${path} (${code}).`)
  }
}

function notReadable(): Refusal {
  return new Refusal('--database must be like postgres://USER@HOST:PORT/DATABASE.', 'arguments')
}

/** The refusal for an error at the start. */
export function refusalOf(error: unknown, address: string): Refusal {
  if (error instanceof Refusal) return error
  const cause = error instanceof StorageFailure ? error.cause : error
  return new Refusal(
    `Cannot use the database at ${address}: ${reasonOf(cause)}. Check that it runs, and that --database is right.`,
  )
}
