import { parseArgs } from 'node:util'
import { type EnvironmentMode, environmentModes } from '@contract/core/mode'
import type { Place } from './open-store'
import type { LogFormat } from './base/log'
import { isLoopbackHost } from './base/loopback'
import { Refusal } from './base/refusal'

/** The options of the service. */
export interface ServiceOptions {
  host: string
  /** The port to listen on. With 0, the system chooses one. */
  port: number
  mode: EnvironmentMode
  place: Place
  /** How many sample deployments an empty database gets; null for no sample. */
  sample: number | null
  /** How long a new deployment takes to become READY, in milliseconds. */
  provisionMs: number
  logFormat: LogFormat
  /** How long /ready answers 503 before the service stops to accept connections, in milliseconds. */
  drainMs: number
  /** The key that requests must carry; null if everyone who can reach the port may use the service. */
  apiKey: string | null
}

export const usage = `Usage: npm run service -- --mode cloud|self-hosted (--data FOLDER | --database URL) [options]

  --mode MODE         what kind of environment to be: ${environmentModes.join(' or ')}
  --data FOLDER       where to keep the database (made when missing), for one service
  --database URL      a PostgreSQL instead, which several services can share: postgres://USER@HOST:PORT/DATABASE. Standbys
                      follow the host after commas. Give the password in PGPASSWORD or a PGPASSFILE
  --connections N     how many connections to each PostgreSQL server there are at most (default 10)
  --port PORT         the port to listen on, 0 for any free one (default 4600)
  --host HOST         the address to listen on (default 127.0.0.1)
  --sample N          fill an empty database with N sample deployments and some repositories
  --provision-ms N    milliseconds from a creation to READY (default 2000)
  --log-format FORMAT text or json (default text), on standard error
  --drain-ms N        milliseconds from SIGTERM in which /ready answers 503 and requests are still served, so that a
                      proxy sends nothing more (default 0)
  --help              show this

Environment variable SLIPWAY_SERVICE_API_KEY: requests must carry it in X-Api-Key, or as Authorization: Bearer. It has
16 to 256 printable ASCII characters without spaces. Needed on any host but loopback.`

const hour = 3_600_000
const day = 24 * hour

/** Keys that a header can carry, that can't be guessed, and that leave room for other headers. */
const possibleKey = /^[!-~]{16,256}$/

/**
 * Reads the environment variables and the command line, without the names of the program and the script. Returns null
 * if only help was requested.
 *
 * @throws {Refusal} with a message that says what is wrong with the arguments
 */
export function readArguments(args: string[], environment: NodeJS.ProcessEnv): ServiceOptions | null {
  const values = parse(args)
  if (values.help) return null
  const mode = environmentModes.find((known) => known === values.mode)
  if (mode === undefined) {
    throw new Refusal(`--mode must be ${environmentModes.join(' or ')}${found(values.mode)}.`, 'arguments')
  }
  const options: ServiceOptions = {
    host: values.host,
    port: wholeNumber('--port', values.port, 65_535),
    mode,
    place: placeOf(values),
    sample: values.sample === undefined ? null : wholeNumber('--sample', values.sample, 1_000_000),
    provisionMs: wholeNumber('--provision-ms', values['provision-ms'], day),
    logFormat: logFormatOf(values['log-format']),
    drainMs: wholeNumber('--drain-ms', values['drain-ms'], hour),
    apiKey: environment.SLIPWAY_SERVICE_API_KEY || null,
  }
  if (options.apiKey !== null && !possibleKey.test(options.apiKey)) {
    throw new Refusal(
      'SLIPWAY_SERVICE_API_KEY must have 16 to 256 printable ASCII characters without spaces.',
      'arguments',
    )
  }
  if (options.apiKey === null && !isLoopbackHost(options.host)) {
    throw new Refusal(
      `Refusing to serve ${options.host || 'every address'} without an API key: anyone in the network could ` +
        'create deployments. Set SLIPWAY_SERVICE_API_KEY, or use --host 127.0.0.1.',
      'arguments',
    )
  }
  return options
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        mode: { type: 'string' },
        data: { type: 'string' },
        database: { type: 'string' },
        connections: { type: 'string' },
        port: { type: 'string', default: '4600' },
        host: { type: 'string', default: '127.0.0.1' },
        sample: { type: 'string' },
        'provision-ms': { type: 'string', default: '2000' },
        'log-format': { type: 'string', default: 'text' },
        'drain-ms': { type: 'string', default: '0' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    // A connection string in the wrong place. It may have a password.
    throw new Refusal(message.replace(/postgres(?:ql)?:\/\/[^']*/g, 'postgres://...'), 'arguments')
  }
}

/** Where the data is to be. The folder or the database has to be named, and not both. */
function placeOf({ data, database, connections }: ReturnType<typeof parse>): Place {
  if (data && database) {
    throw new Refusal('--data and --database exclude each other: the data is in one of them.', 'arguments')
  }
  if (database) {
    const most = wholeNumber('--connections', connections ?? '10', 1_000, 2)
    return { connectionString: database, connections: most }
  }
  if (connections !== undefined) throw new Refusal('--connections is only for --database.', 'arguments')
  if (data) return { folder: data }
  throw new Refusal(
    '--data is missing: name the folder to keep the database in, or a PostgreSQL with --database.',
    'arguments',
  )
}

function logFormatOf(text: string): LogFormat {
  if (text === 'text' || text === 'json') return text
  throw new Refusal(`--log-format must be text or json${found(text)}.`, 'arguments')
}

function wholeNumber(name: string, text: string, max: number, min = 0): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number < min || number > max) {
    throw new Refusal(`${name} must be a whole number from ${min} to ${max}${found(text)}.`, 'arguments')
  }
  return number
}

function found(value: string | undefined): string {
  return value === undefined ? '' : `, not "${value}"`
}
