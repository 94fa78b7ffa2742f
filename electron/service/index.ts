/** The built-in deployment service: a separate process, started by the application or manually. */
import { serviceExit } from '@contract/app/service-exit'
import { setTimeout as pause } from 'node:timers/promises'
import { createApp } from './app'
import { isInForce } from './access/key-ring'
import { readArguments, type ServiceOptions, usage } from './arguments'
import { type Command, type KeyCommand, readCommand } from './command-arguments'
import { restoreBackup, writeBackup } from './commands/backup'
import { addKey, type CommandOutput, listKeys, revokeKey } from './commands/keys'
import { openStore, type Place, visitStore } from './open-store'
import { isLoopbackHost } from './base/loopback'
import { Refusal } from './base/refusal'
import { openLog } from './base/log'
import { StorageFailure } from './base/storage-failure'
import type { Store } from './database/store'
import { createMetrics } from './http/metrics'
import { fillWithSample } from './sample'
import { listen } from './http/server'

/** Whether the application runs the service, as a sandbox: then nobody collects metrics. */
const isSandbox = 'electron' in process.versions

async function serve(options: ServiceOptions): Promise<void> {
  // Only the owner may read the database and SQLite's files beside it.
  process.umask(0o077)
  const log = await openLog(options.logFormat)
  const store = await openStore(options.place, options.mode, log)
  await requireKeyFor(options, store)
  if (options.sample !== null && !(await fillWithSample(store, options.mode, options.sample))) {
    log.problem(
      `--sample changed nothing: ${nameOf(options.place)} isn't empty. To get sample deployments and ` +
        `repositories, use an empty ${'folder' in options.place ? 'folder with --data' : 'database'}.`,
    )
  }
  let isEnding = false
  const metrics = isSandbox ? null : await createMetrics(store)
  const app = createApp(options, { store, log, metrics, isEnding: () => isEnding })
  const server = await listen(app, { ...options, log, metrics })

  const impatience = new AbortController()
  const end = (): void => {
    // A second signal ends the wait.
    if (isEnding) return impatience.abort()
    isEnding = true
    void pause(options.drainMs, undefined, { signal: impatience.signal })
      .catch(() => undefined)
      .then(() => server.close())
      .then(() => store.close())
      .then(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  if (options.tls !== null) process.on('SIGHUP', () => server.reload())
  process.stdout.write(`listening on ${server.url}\n`)
}

/** Refuses to serve others than this machine where nobody needs a key. */
async function requireKeyFor({ host, apiKey }: ServiceOptions, store: Store): Promise<void> {
  if (apiKey !== null || isLoopbackHost(host) || (await store.keys.all()).some(isInForce)) return
  throw new Refusal(
    `Refusing to serve ${host || 'every address'} without an API key: anyone in the network could create ` +
      'deployments. Add one with "keys add", set SLIPWAY_SERVICE_API_KEY, or use --host 127.0.0.1.',
    'arguments',
  )
}

/** Runs a command, and ends the process. */
async function run(command: Command): Promise<void> {
  process.umask(0o077)
  const { output, remark } = await resultOf(command)
  if (remark !== undefined) process.stderr.write(`${remark}\n`)
  process.stdout.write(output === '' ? '' : `${output}\n`, () => process.exit(0))
}

async function resultOf(command: Command): Promise<CommandOutput> {
  if (command.does === 'backup') return writeBackup(command.folder, command.file)
  if (command.does === 'restore') return restoreBackup(command.file, command.folder)
  const store = await visitStore(command.place, command.mode)
  return runOn(store, command).finally(() => store.close())
}

function runOn(store: Store, command: KeyCommand): Promise<CommandOutput> {
  switch (command.does) {
    case 'keys add':
      return addKey(store, command.name, command.role, command.expiresAt)
    case 'keys list':
      return listKeys(store)
    case 'keys revoke':
      return revokeKey(store, command.name)
  }
}

/** What to call the place of the data. A connection string isn't shown, since it may have a password. */
function nameOf(place: Place): string {
  return 'folder' in place ? place.folder : 'the database'
}

/** Exits once the message is written. As a child of Electron, the process would otherwise wait for messages. */
function refuse(error: unknown): void {
  const reason = error instanceof Refusal ? error.reason : 'other'
  const isExplained = error instanceof Refusal || error instanceof StorageFailure
  const message = isExplained ? error.message : String((error as Error | null)?.stack ?? error)
  const text = reason === 'arguments' ? `${message}\n\n${usage}\n` : `${message}\n`
  process.stderr.write(text, () => process.exit(serviceExit[reason]))
}

// The reader of the output may end before the service does. The service goes on without it.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

try {
  const args = process.argv.slice(2)
  const command = args.includes('--help') ? null : readCommand(args)
  if (command !== null) run(command).catch(refuse)
  else {
    const options = readArguments(args, process.env)
    if (options === null) process.stdout.write(`${usage}\n`)
    else serve(options).catch(refuse)
  }
} catch (error) {
  refuse(error)
}
