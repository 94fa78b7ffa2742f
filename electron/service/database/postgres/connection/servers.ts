import { setTimeout as pause } from 'node:timers/promises'
import { Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg'
import { StorageFailure } from '../../../base/storage-failure'
import type { PoolUse } from '../../store'
import type { Address } from './addresses'
import { meaningOf, reasonOf } from './failures'

/** How long a statement may take, in milliseconds. After that, the server cancels it and rolls it back. */
const statementMs = 10_000

/** How long to wait for an answer, in milliseconds: longer than a statement may take, so that it only ends silence. */
const answerMs = 11_000

/**
 * How long to wait for answers that should come at once, in milliseconds: to a proxy's checks, and to the reading of
 * keys, which each request waits for besides its own statement.
 */
export const promptMs = 3_000

/** How long to wait for a connection, in milliseconds, whether new or used by others. */
const connectMs = 3_000

/** The pauses between the attempts of a read, in milliseconds. Some of them outlast a restart of the server. */
const pauses = [0, 100, 400, 1_000]

/** How long a read is repeated, in milliseconds. It isn't repeated if the server was silent. */
const tryingMs = 5_000

/** How long reads stay with another server after they failed on the primary, in milliseconds. */
const stayMs = 5_000

/** A statement: its text, and the name under which each connection prepares it once. */
export interface Statement {
  name: string
  text: string
  /** How long to wait for an answer, in milliseconds; by default as long as for any statement. */
  query_timeout?: number
}

/**
 * The servers of a database: a primary, and standbys if the connection string names them.
 *
 * Reads and writes use separate connections. If a synchronous standby is gone, commits wait for it, and reads don't.
 */
export interface Servers {
  /** Reads from the primary. If that is lost, tries again, and reads from a standby if there is one. */
  read<Row>(statement: Statement, values: unknown[]): Promise<Row[]>
  /** Runs a statement on the primary. Repeats it only if it certainly had no effect. */
  write<Row>(statement: Statement, values: unknown[]): Promise<Row[]>
  /** Runs `work` in a transaction on the primary, once. */
  transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T>
  /** The use of the connections. */
  use(): PoolUse[]
  /** Closes all connections once they are idle. */
  end(): Promise<void>
}

interface Server {
  reads: Pool
  writes: Pool
}

/** Prepares connections to servers, at most `connections` to each. Opens none yet. */
export function connectTo(addresses: readonly Address[], connections: number): Servers {
  const forReads = Math.ceil(connections / 2)
  const servers: Server[] = addresses.map(({ connectionString }) => ({
    reads: poolOf(connectionString, forReads),
    writes: poolOf(connectionString, connections - forReads, insistOnPrimary),
  }))
  /** The server that was the primary last. */
  let primary = servers[0]!
  /** The server that reads start with until a time. */
  let stay = { with: primary, until: 0 }

  const others = (than: Server): Server[] => servers.filter((server) => server !== than)

  async function toPrimary(): Promise<PoolClient> {
    try {
      return await primary.writes.connect()
    } catch (error) {
      const found = await findPrimary(others(primary))
      if (found === null) throw unavailable(error)
      primary = found.server
      return found.client
    }
  }

  /** Runs `work` on the primary. The caller decides whether it may be repeated. */
  async function onPrimary<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await toPrimary()
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      client.release(meaningOf(error)?.isLost ?? false)
      throw error
    }
  }

  async function write<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const run = (): Promise<Row[]> => onPrimary((client) => ask<Row>(client, statement, values))
    try {
      return await run().catch((error: unknown) => {
        if (!(meaningOf(error)?.isRepeatable ?? false)) throw error
        return run()
      })
    } catch (error) {
      throw failureOf(error)
    }
  }

  /** The servers in the order in which a read tries them. */
  function forRead(): Server[] {
    const first = Date.now() < stay.until ? stay.with : primary
    return [first, ...others(first)]
  }

  async function read<Row>(statement: Statement, values: unknown[]): Promise<Row[]> {
    let reason: unknown
    const begunAt = performance.now()
    for (const wait of pauses) {
      if (performance.now() - begunAt > tryingMs) break
      if (wait > 0) await pause(wait)
      for (const server of forRead()) {
        try {
          const rows = await readFrom<Row>(server, statement, values)
          if (server !== primary) stay = { with: server, until: Date.now() + stayMs }
          return rows
        } catch (error) {
          const meaning = meaningOf(error)
          if (meaning === null) throw error
          reason = error
        }
      }
    }
    throw unavailable(reason)
  }

  return {
    read,
    write,
    async transaction(work) {
      try {
        return await onPrimary((client) => inTransaction(client, work))
      } catch (error) {
        throw failureOf(error)
      }
    },
    use: () =>
      servers.flatMap(({ reads, writes }, place) => [
        useOf(String(place), 'reads', reads),
        useOf(String(place), 'writes', writes),
      ]),
    async end() {
      await Promise.all(servers.flatMap(({ reads, writes }) => [reads.end(), writes.end()]))
    },
  }
}

const useOf = (
  server: string,
  pool: PoolUse['pool'],
  { totalCount, idleCount, waitingCount }: Pool,
): PoolUse => ({
  server,
  pool,
  open: totalCount,
  idle: idleCount,
  waiting: waitingCount,
})

function poolOf(connectionString: string, max: number, verify?: PoolConfig['verify']): Pool {
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
    verify,
  })
  // If a connection breaks during a query, the query fails. If it was idle, nobody has to know.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Accepts only connections to a primary into a pool. */
const insistOnPrimary: PoolConfig['verify'] = (client, done) => {
  client
    .query<{ standby: boolean }>('select pg_is_in_recovery() as standby')
    .then(({ rows }) => (rows[0]?.standby === false ? undefined : new Error('The server is a standby.')))
    .then(done, done)
}

/** A connection to the first server that says that it is the primary; null if none does. */
async function findPrimary(
  servers: readonly Server[],
): Promise<{ server: Server; client: PoolClient } | null> {
  const tries = servers.map((server) => server.writes.connect().then((client) => ({ server, client })))
  const found = await Promise.any(tries).catch(() => null)
  for (const each of tries) {
    void each
      .then(({ client }) => (client === found?.client ? undefined : client.release()))
      .catch(() => null)
  }
  return found
}

async function readFrom<Row>(server: Server, statement: Statement, values: unknown[]): Promise<Row[]> {
  const client = await server.reads.connect()
  try {
    const rows = await ask<Row>(client, statement, values)
    client.release()
    return rows
  } catch (error) {
    client.release(meaningOf(error)?.isLost ?? false)
    throw error
  }
}

async function ask<Row>(client: PoolClient, statement: Statement, values: unknown[]): Promise<Row[]> {
  return (await client.query({ ...statement, values } satisfies QueryConfig)).rows as Row[]
}

async function inTransaction<T>(client: PoolClient, work: (client: PoolClient) => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work(client)
    await client.query('commit')
    return result
  } catch (error) {
    // If the connection is lost, the server rolls back by itself, and this query would get no answer.
    if (!(meaningOf(error)?.isLost ?? false)) await client.query('rollback').catch(() => undefined)
    throw error
  }
}

function unavailable(error: unknown): StorageFailure {
  return new StorageFailure('unavailable', new Error(reasonOf(error), { cause: error }))
}

/** The failure for an error of a write, or the error itself if it is a bug of the program. */
function failureOf(error: unknown): unknown {
  if (error instanceof StorageFailure) return error
  const meaning = meaningOf(error)
  return meaning === null ? error : new StorageFailure(meaning.reason, error)
}
