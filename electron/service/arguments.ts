import { join } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import proxyAddr from 'proxy-addr'
import { type EnvironmentMode, environmentModes } from '@contract/app/environment'
import type { ArchivePlan } from './archives'
import { type Role, roles } from './base/keys'
import type { LogFormat } from './base/log'
import { Refusal } from './base/failures'
import type { RepositoryImport } from './commands/repositories'
import type { FolderCommand, StoreCommand } from './commands/store-commands'
import type { Place } from './database/database'
import type { Network } from './http/network'

/** The options of the service. */
export interface ServiceOptions extends Network {
  /** The port to listen on. With 0, the system chooses one. */
  port: number
  mode: EnvironmentMode
  place: Place
  /** How many sample deployments an empty database gets; without it, none and no other sample data. */
  sample?: number
  /** How long a new deployment takes to become READY, in milliseconds. */
  provisionMs: number
  /** Whether creations may only name known repositories, integrations and refs. */
  checkRepositories: boolean
  /** Where uploaded archives are stored; null to store none. */
  archivePlan: ArchivePlan | null
  logFormat: LogFormat
  /** How long /ready answers 503 before the service stops accepting connections, in milliseconds. */
  drainMs: number
  /** A key that requests may carry, besides those of the database; null for none. */
  apiKey: string | null
}

/** What a command line asks for. */
export type Task =
  | { does: 'serve'; options: ServiceOptions }
  | { does: 'show'; text: string }
  | FolderCommand
  | StoreCommand

/** The options that say where the data is, as commander gives them. */
interface PlaceValues {
  data?: string
  database?: string
  connections?: number
  mode?: EnvironmentMode
}

const mebibyte = 1024 * 1024
const publicApi = 'https://api.github.com'

/** Keys that fit into a header, can't be guessed, and leave room for other headers. */
const possibleKey = /^[!-~]{16,256}$/

/** Names that a header, a list and a log show unchanged. */
const possibleName = /^[\w.@+-]{1,64}$/

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Reads the environment variables and the command line, without the names of the program and the script.
 *
 * @throws {Refusal} with a message that says what is wrong with the arguments
 */
export function readTask(args: string[], environment: NodeJS.ProcessEnv): Task {
  let task: Task | undefined
  const output: string[] = []
  const program = programOf(environment, (found) => (task = found))
  const configure = (command: Command): void => {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => output.push(text), writeErr: () => undefined })
    command.commands.forEach(configure)
  }
  configure(program)
  try {
    program.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { does: 'show', text: output.join('') }
    // A connection string may contain a password.
    const message = error.message
      .replace(/^error: /, '')
      .replace(/postgres(?:ql)?:\/\/[^'"\s]*/g, 'postgres://...')
    throw wrong(message)
  }
  return task!
}

/** In a package, what the deb calls it. */
const commandName =
  process.env['npm_lifecycle_event'] === 'service' ? 'npm run service --' : 'slipway-service'

/** How the program is used, as with --help. */
export const usage = (): string => programOf({}, () => undefined).helpInformation()

function programOf(environment: NodeJS.ProcessEnv, found: (task: Task) => void): Command {
  const program = withPlace(new Command(commandName))
    .helpOption('--help', 'show this')
    .usage('--mode cloud|self-hosted (--data FOLDER | --database URL) [options] | COMMAND [options]')
    .description(
      'The deployment service that is built into Slipway. Once there has been a key, requests must carry one in ' +
        'X-Api-Key, or as Authorization: Bearer. The environment variable SLIPWAY_SERVICE_API_KEY has one more, for ' +
        'everything: 16 to 256 printable ASCII characters without spaces. Any host but loopback needs a key.',
    )
    .enablePositionalOptions()
    .allowExcessArguments(false)
    .option('--port <port>', 'the port to listen on, 0 for any free one', number(0, 65_535), 4600)
    .option('--host <host>', 'the address to listen on', '127.0.0.1')
    .option('--base-path <path>', 'what is in front of all paths, such as /deployments', basePath, '')
    .option(
      '--allowed-host <name>',
      'a name, or NAME:PORT, under which requests may ask, such as that of a proxy. Repeat it for more',
      several(hostOf),
      [],
    )
    .option(
      '--cors-origin <url>',
      'an origin whose pages may use the service, such as https://tools.example. Repeat it for more',
      several(originOf),
      [],
    )
    .option(
      '--trusted-proxy <ip>',
      'an address, or a network like 10.0.0.0/8, of proxies whose X-Forwarded-For tells the client, so that wrong keys ' +
        'slow down who sends them. Repeat it for more',
      several(proxyOf),
      [],
    )
    .option(
      '--tls-cert <file>',
      'serve HTTPS with this certificate and the --tls-key, both in PEM, read at the start',
    )
    .option('--tls-key <file>', 'the key of the certificate')
    .option(
      '--sample <n>',
      'fill an empty database with N sample deployments and some repositories',
      number(0, 1_000_000),
    )
    .option('--provision-ms <n>', 'milliseconds from a creation to READY', number(0, 86_400_000), 2000)
    .option(
      '--check-repositories',
      "refuse creations and revisions from a repository, integration, branch or tag that isn't known",
      false,
    )
    .option(
      '--archives <folder>',
      'where to keep the source archives that clients upload (default: archives in the folder of --data). Instances on ' +
        'one PostgreSQL share it; without it, they take no uploads',
      filled,
    )
    .option('--archive-count <n>', 'how many archives it keeps at most', number(0, 1_000_000), 10_000)
    .option('--archive-mib <n>', 'how many MiB they may take together', number(0, 1_000_000_000), 20_480)
    .addOption(
      new Option('--log-format <format>', 'the form of the log, on standard error')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option(
      '--drain-ms <n>',
      'milliseconds from SIGTERM in which /ready answers 503 and requests are still served, so that a proxy sends ' +
        'nothing more',
      number(0, 3_600_000),
      0,
    )
    .action((values: ServiceValues) =>
      found({ does: 'serve', options: serviceOptionsOf(values, environment) }),
    )

  const keys = program.command('keys').description('keys, also while services run')
  withPlace(keys.command('add <name>'))
    .description('prints a new key, once')
    .addOption(new Option('--role <role>', 'what it allows').choices(roles).makeOptionMandatory())
    .option('--expires <end>', 'when it expires, such as 90d, 12h or 2027-01-31', endOf)
    .option('--tenant <uuid>', 'the only tenant that it is for', uuidOf)
    .action((name: string, values: PlaceValues & { role: Role; expires?: string; tenant?: string }) =>
      found({ ...values, ...commonOf(values), does: 'keys add', name: nameOf(name) }),
    )
  withPlace(keys.command('list'))
    .description('lists them, without what is secret')
    .action((values: PlaceValues) => found({ ...commonOf(values), does: 'keys list' }))
  withPlace(keys.command('revoke <name>'))
    .description('services refuse it within 2 seconds')
    .action((name: string, values: PlaceValues) =>
      found({ ...commonOf(values), does: 'keys revoke', name: nameOf(name) }),
    )
  withPlace(program.command('audit'))
    .description('prints who created what, or was refused, as JSON lines')
    .action((values: PlaceValues) => found({ ...commonOf(values), does: 'audit' }))
  withPlace(program.command('repositories').description('repositories').command('import <source>'))
    .description(
      'replaces the repositories of integrations by those in a FILE, the git repositories in a FOLDER, or those of ' +
        'github:OWNER. The token is in a file, or in SLIPWAY_GITHUB_TOKEN',
    )
    .option('--integration <uuid>', 'the integration of a folder or an owner', uuidOf)
    .option('--url-prefix <url>', "what is in front of the URLs of a folder's repositories", urlOf)
    .option('--refs', "read an owner's branches and tags, too")
    .option('--api-url <url>', "the address of GitHub's API", urlOf)
    .option('--token-file <file>', 'the file with the token')
    .option('--every <time>', 'import again after this time, such as 15m or 12h', intervalOf)
    .action((source: string, values: PlaceValues & RepositoryValues) =>
      found({
        ...commonOf(values),
        does: 'repositories import',
        from: importOf(source, values, environment),
      }),
    )
  for (const [does, option, description] of [
    [
      'backup',
      '--to <file>',
      "writes all of a folder's data as it is at one moment, also while a service runs",
    ],
    ['restore', '--from <file>', 'puts it into a folder without a database'],
  ] as const) {
    program
      .command(does)
      .description(`${description}. For PostgreSQL: pg_dump --format=custom --schema=slipway, pg_restore`)
      .requiredOption('--data <folder>', 'the folder of the database')
      .requiredOption(option, 'the file')
      .action(({ data, to, from }: { data: string; to?: string; from?: string }) =>
        found({ does, folder: data, file: (to ?? from)! }),
      )
  }
  return program
}

const withPlace = (command: Command): Command =>
  command
    .addOption(new Option('--mode <mode>', 'what kind of environment to be').choices(environmentModes))
    .option('--data <folder>', 'where to keep the database (made when missing), for one service')
    .option(
      '--database <url>',
      'a PostgreSQL instead, which several services can share: postgres://USER@HOST:PORT/DATABASE. Give the password in ' +
        'PGPASSWORD or a PGPASSFILE',
    )
    .option(
      '--connections <n>',
      'how many connections to PostgreSQL there are at most (default 10)',
      number(2, 1_000),
    )

/** The options of a service, as commander gives them. */
type ServiceValues = Omit<ServiceOptions, 'mode'> &
  PlaceValues & {
    allowedHost: string[]
    corsOrigin: string[]
    trustedProxy: string[]
    tlsCert?: string
    tlsKey?: string
    archives?: string
    archiveCount: number
    archiveMib: number
  }

function serviceOptionsOf(values: ServiceValues, environment: NodeJS.ProcessEnv): ServiceOptions {
  const { mode, tlsCert: cert, tlsKey: key } = values
  if (mode === undefined) throw wrong(`--mode must be ${environmentModes.join(' or ')}.`)
  if ((cert === undefined) !== (key === undefined)) {
    throw wrong('--tls-cert and --tls-key belong together: give both, or neither.')
  }
  const apiKey = environment.SLIPWAY_SERVICE_API_KEY || null
  if (apiKey !== null && !possibleKey.test(apiKey)) {
    throw wrong('SLIPWAY_SERVICE_API_KEY must have 16 to 256 printable ASCII characters without spaces.')
  }
  const folder = values.archives ?? (values.data === undefined ? null : join(values.data, 'archives'))
  const bounds = { count: values.archiveCount, bytes: values.archiveMib * mebibyte }
  return {
    ...values,
    mode,
    apiKey,
    allowedHosts: values.allowedHost,
    corsOrigins: values.corsOrigin,
    trustedProxies: values.trustedProxy,
    tls: cert === undefined || key === undefined ? null : { cert, key },
    place: placeOf(values),
    archivePlan: folder === null ? null : { folder, bounds },
  }
}

const commonOf = (values: PlaceValues) => ({ place: placeOf(values), mode: values.mode ?? null })

/** Where to store the data. Either the folder or the database must be given, but not both. */
function placeOf({ data, database, connections }: PlaceValues): Place {
  if (data && database) throw wrong('--data and --database exclude each other: the data is in one of them.')
  if (database) return { connectionString: database, connections: connections ?? 10 }
  if (connections !== undefined) throw wrong('--connections is only for --database.')
  if (data) return { folder: data }
  throw wrong('--data is missing: name the folder to keep the database in, or a PostgreSQL with --database.')
}

/** The options of an import of repositories, as commander gives them. */
interface RepositoryValues {
  integration?: string
  urlPrefix?: string
  refs?: boolean
  apiUrl?: string
  tokenFile?: string
  every?: number
}

function importOf(
  source: string,
  { urlPrefix, refs, apiUrl, tokenFile, ...common }: RepositoryValues,
  environment: NodeJS.ProcessEnv,
): RepositoryImport {
  const owner = /^github:(.*)$/s.exec(source)?.[1]
  if (owner === undefined) {
    if (apiUrl !== undefined || tokenFile !== undefined || refs) {
      throw wrong('--api-url, --token-file and --refs are only for "repositories import github:OWNER".')
    }
    return { ...common, path: source, urlPrefix }
  }
  if (urlPrefix !== undefined) throw wrong('--url-prefix is only for a folder.')
  if (!/^[\w.-]{1,100}$/.test(owner)) throw wrong(`"${source}" must be like github:OWNER.`)
  const token = environment.SLIPWAY_GITHUB_TOKEN || undefined
  return { ...common, owner, refs, apiUrl: (apiUrl ?? publicApi).replace(/\/+$/, ''), tokenFile, token }
}

const wrong = (message: string): Refusal => new Refusal(message, 'arguments')

/** Gives a value, unless it isn't possible. */
function possible<T>(value: T, isPossible: boolean, form: string): T {
  if (isPossible) return value
  throw new InvalidArgumentError(`It must be ${form}.`)
}

const number = (min: number, max: number) => (text: string) =>
  possible(
    Number(text),
    /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max,
    `a whole number from ${min} to ${max}`,
  )

/** Reads an option that can be repeated, and can have several values with commas between them. */
const several =
  (read: (text: string) => string) =>
  (text: string, before: string[]): string[] => [...before, ...text.split(',').map(read)]

const filled = (text: string): string => possible(text, text !== '', 'a folder')

function basePath(text: string): string {
  const path = text.replace(/\/$/, '')
  const isPath = /^(?:\/[\w.~-]+)*$/.test(path) && !/\/\.\.?(?:\/|$)/.test(path)
  return possible(path, isPath, 'like /deployments')
}

const hostOf = (text: string): string =>
  possible(
    text.toLowerCase(),
    /^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(text),
    'a name like deployments.example or deployments.example:8443',
  )

function proxyOf(text: string): string {
  const isProxy = /^[\da-f:./]+$/i.test(text) && isPossible(() => proxyAddr.compile([text]))
  return possible(text, isProxy, 'like 10.0.0.5 or 10.0.0.0/8')
}

function originOf(text: string): string {
  const isOrigin =
    /^https?:/i.test(text) && isPossible(() => new URL(text)) && new URL(text).origin === text.toLowerCase()
  return possible(text.toLowerCase(), isOrigin, 'like https://tools.example, without a path')
}

const urlOf = (text: string): string =>
  possible(
    text,
    /^https?:\/\/[^\s@?#]+$/i.test(text) && isPossible(() => new URL(text)),
    'like https://git.example/agents, without a user, a query or a fragment',
  )

const uuidOf = (text: string): string => possible(text.toLowerCase(), uuid.test(text.toLowerCase()), 'a UUID')

const nameOf = (text: string): string => {
  if (possibleName.test(text)) return text
  throw wrong(`The name "${text}" must have 1 to 64 letters, digits or any of . _ @ + -`)
}

const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function intervalOf(text: string): number {
  const [, count, unit] = /^(\d{1,4})([smh])$/.exec(text) ?? []
  const interval = Number(count) * units[unit ?? '']!
  return possible(interval, interval > 0, 'like 15m or 12h')
}

/** A future time (ISO 8601), from a date, a time, or a number of days or hours from now. */
function endOf(text: string): string {
  const [, count, unit] = /^(\d{1,5})([dh])$/.exec(text) ?? []
  const isDate = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(text)
  const date = isDate ? Date.parse(text) : NaN
  const time = count === undefined ? date : Date.now() + Number(count) * units[unit!]!
  possible(time, !Number.isNaN(time), 'like 90d, 12h, 2027-01-31 or 2027-01-31T12:00Z')
  if (time <= Date.now()) throw new InvalidArgumentError('It is over already.')
  return new Date(time).toISOString()
}

function isPossible(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}
