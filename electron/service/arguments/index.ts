import { parseArgs } from 'node:util'
import { type EnvironmentMode, environmentModes } from '@contract/core/mode'
import type { Place } from '../database/place'
import type { ArchivePlan } from '../archives/archives'
import { archivesIn } from '../base/archives-in'
import type { LogFormat } from '../base/log'
import { Refusal } from '../base/refusal'
import type { Network } from '../http/types'
import { networkOf, networkOptions, networkUsage } from './network-arguments'
import { repositoryUsage } from './repository-arguments'

/** The options of the service. */
export interface ServiceOptions extends Network {
  /** The port to listen on. With 0, the system chooses one. */
  port: number
  mode: EnvironmentMode
  place: Place
  /** How many sample deployments an empty database gets; null for no sample. */
  sample: number | null
  /** How long a new deployment takes to become READY, in milliseconds. */
  provisionMs: number
  /** Whether creations may only name known repositories, integrations and refs. */
  checksRepositories: boolean
  /** Where uploaded archives are stored; null to store none. */
  archives: ArchivePlan | null
  logFormat: LogFormat
  /** How long /ready answers 503 before the service stops accepting connections, in milliseconds. */
  drainMs: number
  /** A key that requests may carry, besides those of the database; null for none. */
  apiKey: string | null
}

export const usage = `Usage: npm run service -- --mode cloud|self-hosted (--data FOLDER | --database URL) [options]
       npm run service -- keys add|list|revoke (--data FOLDER | --database URL) [options]
       npm run service -- audit (--data FOLDER | --database URL)
       npm run service -- repositories import FILE|FOLDER|github:OWNER (--data FOLDER | --database URL) [options]
       npm run service -- backup|restore --data FOLDER --to|--from FILE

  --mode MODE         what kind of environment to be: ${environmentModes.join(' or ')}
  --data FOLDER       where to keep the database (made when missing), for one service
  --database URL      a PostgreSQL instead, which several services can share: postgres://USER@HOST:PORT/DATABASE. Standbys
                      follow the host after commas. Give the password in PGPASSWORD or a PGPASSFILE
  --connections N     how many connections to each PostgreSQL server there are at most (default 10)
  --port PORT         the port to listen on, 0 for any free one (default 4600)
${networkUsage}
  --sample N          fill an empty database with N sample deployments and some repositories
  --provision-ms N    milliseconds from a creation to READY (default 2000)
  --check-repositories
                      refuse creations and revisions from a repository, integration, branch or tag that isn't known
  --archives FOLDER   where to keep the source archives that clients upload (default: archives in the folder of --data).
                      Instances on one PostgreSQL share it; without it, they take no uploads
  --archive-count N   how many archives it keeps at most (default 10000)
  --archive-mib N     how many MiB they may take together (default 20480)
  --log-format FORMAT text or json (default text), on standard error
  --drain-ms N        milliseconds from SIGTERM in which /ready answers 503 and requests are still served, so that a
                      proxy sends nothing more (default 0)
  --help              show this

Commands, also while services run:

  keys add NAME --role read|create [--expires 90d|12h|2027-01-31] [--tenant UUID]    prints a new key, once
  keys list                       lists them, without what is secret
  keys revoke NAME                services refuse it within 2 seconds
  audit                           prints who created what, or was refused, as JSON lines
${repositoryUsage}

Copies of a folder's data:

  backup --data FOLDER --to FILE       writes all of it as it is at one moment, also while a service runs
  restore --data FOLDER --from FILE    puts it into a folder without a database

Keys, audit and repositories take --data or --database. Once there has been a key, requests must carry one in X-Api-Key,
or as Authorization: Bearer. The environment variable SLIPWAY_SERVICE_API_KEY has one more, for everything: 16 to 256
printable ASCII characters without spaces. Any host but loopback needs a key.`

const mebibyte = 1024 * 1024
const hour = 3_600_000
const day = 24 * hour

/** Keys that fit into a header, can't be guessed, and leave room for other headers. */
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
    ...networkOf(values),
    port: wholeNumber('--port', values.port, 65_535),
    mode,
    place: placeOf(values),
    sample: values.sample === undefined ? null : wholeNumber('--sample', values.sample, 1_000_000),
    provisionMs: wholeNumber('--provision-ms', values['provision-ms'], day),
    checksRepositories: values['check-repositories'],
    archives: archivesOf(values),
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
  return options
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        ...placeOptions,
        mode: { type: 'string' },
        port: { type: 'string', default: '4600' },
        ...networkOptions,
        sample: { type: 'string' },
        'provision-ms': { type: 'string', default: '2000' },
        'check-repositories': { type: 'boolean', default: false },
        archives: { type: 'string' },
        'archive-count': { type: 'string', default: '10000' },
        'archive-mib': { type: 'string', default: '20480' },
        'log-format': { type: 'string', default: 'text' },
        'drain-ms': { type: 'string', default: '0' },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw withoutPasswords(error)
  }
}

/** A refusal with the message of `parseArgs`, but without a connection string, which may contain a password. */
export function withoutPasswords(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error)
  return new Refusal(message.replace(/postgres(?:ql)?:\/\/[^']*/g, 'postgres://...'), 'arguments')
}

/** The options that say where the data is. */
export const placeOptions = {
  data: { type: 'string' },
  database: { type: 'string' },
  connections: { type: 'string' },
} as const

/** Where to store the data. Either the folder or the database must be given, but not both. */
export function placeOf({
  data,
  database,
  connections,
}: {
  [Name in keyof typeof placeOptions]?: string | undefined
}): Place {
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

function archivesOf(values: ReturnType<typeof parse>): ArchivePlan | null {
  const { archives, data } = values
  if (archives === '') throw new Refusal('--archives must name a folder.', 'arguments')
  const bounds = {
    count: wholeNumber('--archive-count', values['archive-count'], 1_000_000),
    bytes: wholeNumber('--archive-mib', values['archive-mib'], 1_000_000_000) * mebibyte,
  }
  const folder = archives ?? (data ? archivesIn(data) : null)
  return folder === null ? null : { folder, bounds }
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
