import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { findPostgres } from '../../../../electron/launcher/system'
import { freePort } from '../free-port'

/** The password of the test servers. It must be in no log. */
export const postgresPassword = 'the-password-of-the-tests'

/** The databases of the server at an address, such as 127.0.0.1:40001. */
const databasesAt = (address: string) => {
  /** The connection string of a database. */
  const url = (database: string): string => `postgres://slipway:${postgresPassword}@${address}/${database}`
  const query = <Row>(database: string, text: string): Promise<Row[]> => queryAt<Row>(url(database), text)
  return {
    address,
    url,
    /** Runs a statement in a database. */
    query,
    /** Creates a database, and gives its connection string. */
    async create(name: string, more = ''): Promise<string> {
      await query('postgres', `create database ${name} ${more}`)
      return url(name)
    },
    /**
     * Runs a statement in a transaction that stays open, with its locks, until the returned function is called, which
     * ends it.
     */
    async hold(
      database: string,
      text: string,
      end: 'rollback' | 'commit' = 'rollback',
    ): Promise<() => Promise<void>> {
      const client = new Client({ connectionString: url(database) })
      await client.connect()
      await client.query('begin')
      await client.query(text)
      return async () => {
        await client.query(end)
        await client.end()
      }
    },
  }
}

/** The databases of the server that the suite runs on. */
export const suiteDatabases = () => databasesAt(new URL(process.env.SLIPWAY_TEST_POSTGRES!).host)

/** A PostgreSQL server of a test, in a folder of its own. */
export interface PostgresServer extends ReturnType<typeof databasesAt> {
  /** Starts a standby of this server, to which every commit is written before it is answered. */
  startStandby(): Promise<PostgresServer>
  /** Makes a standby the primary. */
  promote(): Promise<void>
  /** Makes all of its processes hang, as with a disk that no longer answers, until the returned function is called. */
  hang(): () => void
  /** Kills all of its processes, as a power cut would. */
  kill(): Promise<void>
  /** Starts it again after `kill`. */
  restart(): Promise<void>
  /** Ends it and removes its folder. */
  dispose(): Promise<void>
}

/** Speed over durability: a test machine's power cut loses only tests. */
export const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '64MB',
  wal_level: 'replica',
  max_wal_senders: '4',
  log_min_messages: 'fatal',
}

/** PostgreSQL refuses to run as root. Then the user that Debian's package made runs it, or nobody. */
const user = process.getuid?.() === 0 ? (userOf('postgres') ?? userOf('nobody')) : undefined

/** An account of the system; nothing if there is none of that name. */
export function userOf(name: string): { uid: number; gid: number } | undefined {
  const fields = new RegExp(`^${name}:.*$`, 'm').exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':')
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) }
}

/** The folder of PostgreSQL's programs. */
export function programs(): string {
  const folder = findPostgres()
  if (folder !== undefined) return folder
  throw new Error("PostgreSQL's programs are missing: npm test -- postgres installs them or says what to do.")
}

/** Makes the folder of a server, which has not started yet. */
export function makeCluster(): string {
  const folder = newFolder()
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, postgresPassword)
  if (user) chownSync(passwordFile, user.uid, user.gid)
  runProgram(join(programs(), 'initdb'), [
    ...['-D', join(folder, 'data'), '-U', 'slipway', '-A', 'password', `--pwfile=${passwordFile}`],
    ...['--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'],
  ])
  return folder
}

/** Starts a server. In a suite, its folder is a copy of the suite's: that takes a tenth of the time. */
export async function startPostgres(): Promise<PostgresServer> {
  const suites = process.env.SLIPWAY_TEST_CLUSTER
  if (!suites) return startServer(makeCluster(), {})
  const folder = newFolder()
  runProgram('cp', ['-a', join(suites, 'data'), folder])
  return startServer(folder, {})
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-postgres-'))
  if (user) chownSync(folder, user.uid, user.gid)
  return folder
}

function runProgram(program: string, args: string[], environment: NodeJS.ProcessEnv = {}): void {
  execFileSync(program, args, {
    cwd: '/',
    stdio: 'pipe',
    env: { ...process.env, ...environment },
    ...user,
  })
}

async function startServer(folder: string, more: Record<string, string>): Promise<PostgresServer> {
  const port = await freePort()
  const data = join(folder, 'data')
  const options = { ...settings, port: String(port), unix_socket_directories: folder, ...more }
  const databases = databasesAt(`127.0.0.1:${port}`)
  const { query } = databases
  let child = spawnServer()

  function spawnServer(): ChildProcess {
    return spawn(
      join(programs(), 'postgres'),
      ['-D', data, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { cwd: '/', stdio: 'ignore', ...user },
    )
  }

  async function untilReady(): Promise<void> {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended with status ${child.exitCode}.`)
      const isReady = await query('postgres', 'select 1').then(
        () => true,
        () => false,
      )
      if (isReady) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  const ended = (): Promise<unknown> =>
    child.exitCode === null && child.signalCode === null
      ? new Promise((resolve) => child.once('exit', resolve))
      : Promise.resolve()

  /** Its first process and all processes that this one has started. */
  function processes(): number[] {
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    return [child.pid!, ...children.trim().split(' ').map(Number)]
  }

  /** Answers no commit before the standby has it. */
  async function waitForStandby(): Promise<void> {
    await query('postgres', `alter system set synchronous_standby_names = '*'`)
    await query('postgres', 'select pg_reload_conf()')
    for (;;) {
      const rows = await query('postgres', `select from pg_stat_replication where sync_state = 'sync'`)
      if (rows.length > 0) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  const server: PostgresServer = {
    ...databases,
    async startStandby() {
      const copy = newFolder()
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'slipway']
      const how = ['--no-sync', '--write-recovery-conf', '--checkpoint=fast']
      runProgram(join(programs(), 'pg_basebackup'), ['-D', join(copy, 'data'), ...from, ...how], {
        PGPASSWORD: postgresPassword,
      })
      const standby = await startServer(copy, { hot_standby: 'on' })
      try {
        await waitForStandby()
        return standby
      } catch (error) {
        await standby.dispose()
        throw error
      }
    },
    async promote() {
      // The new primary has no standby of its own to wait for.
      await query('postgres', `alter system set synchronous_standby_names = ''`)
      await query('postgres', 'select pg_reload_conf()')
      await query('postgres', 'select pg_promote()')
    },
    hang() {
      const hanging = processes()
      signal(hanging, 'SIGSTOP')
      return () => signal(hanging, 'SIGCONT')
    },
    async kill() {
      signal(processes(), 'SIGKILL')
      await ended()
    },
    async restart() {
      child = spawnServer()
      await untilReady()
    },
    async dispose() {
      // An immediate end: what it leaves is removed.
      child.kill('SIGQUIT')
      await ended()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await untilReady()
    return server
  } catch (error) {
    await server.dispose()
    throw error
  }
}

/** Sends a signal to processes. Some may have ended by themselves. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** The name of the database that a test keeps in place of a folder. */
export const databaseNameOf = (folder: string): string =>
  `service_${createHash('sha256').update(folder).digest('hex').slice(0, 20)}`

/** Creates a database of the server that the suite runs on, unless it exists. Gives its connection string. */
export async function ensureDatabase(admin: string, name: string): Promise<string> {
  await queryAt(admin, `create database ${name}`).catch((error: { code?: string }) => {
    if (error.code !== '42P04') throw error
  })
  return admin.replace(/\/[^/]*$/, `/${name}`)
}

/** Removes a database of the server that the suite runs on. */
export async function dropDatabase(admin: string, name: string): Promise<void> {
  await queryAt(admin, `drop database if exists ${name} with (force)`)
}

/** Runs a statement on a connection of its own. */
export async function queryAt<Row>(connectionString: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}
