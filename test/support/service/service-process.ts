import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { inProject } from '../../../electron/launcher/base.mjs'
import type { EnvironmentMode } from '../../../electron/contract/app/environment'
import { databaseNameOf, dropDatabase, ensureDatabase } from './postgres/postgres-server'
import { variablesFor } from '../main/variables'
import { forgetDescription } from './described-answers'

/** Long, because a test machine may be busy. */
const startTimeLimit = 60_000

/** Options of the built-in service. Omitted ones have the service's defaults. */
export interface ServiceStart {
  mode?: EnvironmentMode
  /**
   * The folder of the database. Default: a temporary one that `dispose` removes. Where the suite runs on PostgreSQL, it
   * stands for a database.
   */
  data?: string
  /** The connection string of a database, in place of `data`. */
  database?: string
  connections?: number
  port?: number
  host?: string
  sample?: number
  provisionMs?: number
  apiKey?: string
  /** Further words of the command line. */
  args?: string[]
  /** A command that runs the service's command, with its arguments; none by default. */
  within?: string[]
}

/** How a process ended. */
export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Milliseconds from the signal, or from the start if none was sent. */
  elapsed: number
}

/** A listening built-in service. */
export interface RunningService {
  /** Without a trailing slash, such as http://127.0.0.1:40001. */
  url: string
  /** The folder of its database. */
  data: string
  child: ChildProcess
  /** Its standard error so far: one line for each request. */
  log(): string
  /** Asks it to end, and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<Ending>
  /** Kills it, as a crash would (SIGKILL). */
  kill(): Promise<Ending>
  /** Ends it if it is running, and removes its folder if that is temporary. */
  dispose(): Promise<void>
}

/** A new folder for a database, outside the project. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'slipway-service-'))
}

/** Where a service has its data: what of the command line says so. */
export async function placeOf(data: string): Promise<string[]> {
  const admin = process.env.SLIPWAY_TEST_POSTGRES
  return admin ? ['--database', await ensureDatabase(admin, databaseNameOf(data))] : ['--data', data]
}

/** The words of a command line that starts a service on a folder. */
export async function wordsOf(start: ServiceStart, data: string): Promise<string[]> {
  const place = start.database ? ['--database', start.database] : await placeOf(data)
  return [
    ...['--mode', start.mode ?? 'cloud', '--port', String(start.port ?? 0), ...place],
    // On SQLite, that is where they are by default.
    ...(place[0] === '--database' && !start.database ? ['--archives', join(data, 'archives')] : []),
    ...option('--connections', start.connections),
    ...option('--host', start.host),
    ...option('--sample', start.sample),
    ...option('--provision-ms', start.provisionMs),
    ...(start.args ?? []),
  ]
}

/** Removes the data of a service that has ended, if it has a folder that nobody chose. */
export async function removeData(start: ServiceStart, data: string): Promise<void> {
  if (start.data !== undefined) return
  rmSync(data, { recursive: true, force: true })
  const admin = process.env.SLIPWAY_TEST_POSTGRES
  if (admin && start.database === undefined) await dropDatabase(admin, databaseNameOf(data))
}

/** Starts the built service (out/service/service.cjs) in Node and waits until it listens. */
export async function startService(start: ServiceStart = {}): Promise<RunningService> {
  const data = start.data ?? temporaryFolder()
  const { child, ended, output } = spawnService(
    await wordsOf(start, data),
    start.apiKey === undefined ? {} : { SLIPWAY_SERVICE_API_KEY: start.apiKey },
    start.within,
  )
  const signalAndWait = async (signal: NodeJS.Signals): Promise<Ending> => {
    const sent = Date.now()
    child.kill(signal)
    return { ...(await ended), elapsed: Date.now() - sent }
  }
  const url = await listeningUrl(child, ended)
  return {
    url,
    data,
    child,
    log: () => output.stderr,
    stop: (signal = 'SIGTERM') => signalAndWait(signal),
    kill: () => signalAndWait('SIGKILL'),
    async dispose() {
      if (child.exitCode === null && child.signalCode === null) await signalAndWait('SIGKILL')
      forgetDescription(url)
      await removeData(start, data)
    },
  }
}

/** How much memory a service on Linux has, in mebibytes. */
export function residentMiB({ child }: RunningService): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024
}

/** Runs the built service with a command line that should end by itself. Returns how it ended. */
export async function runService(args: string[], environment: Record<string, string> = {}): Promise<Ending> {
  const { child, ended } = spawnService(args, environment)
  const timer = setTimeout(() => child.kill('SIGKILL'), startTimeLimit)
  const ending = await ended
  clearTimeout(timer)
  return ending
}

function spawnService(args: string[], environment: Record<string, string>, within: string[] = []) {
  const started = Date.now()
  const [program, ...words] = [...within, process.execPath, inProject('out/service/service.cjs'), ...args]
  const child = spawn(program!, words, {
    env: variablesFor({ SLIPWAY_SERVICE_API_KEY: undefined }, environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  collect(child.stdout, (text) => (output.stdout += text))
  collect(child.stderr, (text) => (output.stderr += text))
  const ended = new Promise<Ending>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...output, elapsed: Date.now() - started })
    })
  })
  return { child, ended, output }
}

function collect(stream: Readable, add: (text: string) => void): void {
  stream.setEncoding('utf8')
  stream.on('data', add)
}

async function listeningUrl(child: ChildProcess, ended: Promise<Ending>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const failed = ended.then((ending) => {
    throw new Error(`The service ended with status ${ending.code} before it listened.\n${ending.stderr}`)
  })
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`The service did not listen within ${startTimeLimit} ms.`))
    }, startTimeLimit)
  })
  const listening = new Promise<string>((resolve) => {
    let text = ''
    child.stdout!.on('data', (chunk: string) => {
      text += chunk
      const url = /^listening on (https?:\/\/\S+)\n/.exec(text)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  try {
    return await Promise.race([listening, failed, late])
  } finally {
    clearTimeout(timer)
    // Later it ends normally, and nothing waits for this promise.
    failed.catch(() => undefined)
  }
}

function option(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [name, String(value)]
}
