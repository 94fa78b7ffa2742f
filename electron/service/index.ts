/** The built-in deployment service: a separate process, started by the application or manually. */
import { serviceExit } from '@contract/app/service-exit'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createApp } from './app'
import { openAudit } from './access/audit'
import { isInForce } from './access/key-ring'
import { openArchives } from './archives/archives'
import { readArguments, type ServiceOptions, usage } from './arguments'
import { type Command, readCommand, type StoreCommand } from './arguments/command-arguments'
import { auditLines } from './commands/audit'
import { restoreBackup, writeBackup } from './commands/backup'
import { addKey, type CommandOutput, listKeys, revokeKey } from './commands/keys'
import { importRepositories } from './commands/repositories'
import type { Place } from './database/place'
import { openStore, visitStore } from './open-store'
import { isLoopbackHost } from './base/loopback'
import { Refusal } from './base/refusal'
import { openLog } from './base/log'
import { StorageFailure } from './base/storage-failure'
import type { Store } from './database/store'
import { createMetrics } from './http/metrics'
import { deploymentsIn } from './routes/parts/read-deployment'
import { fillWithSample } from './sample'
import { listen } from './http/server'

/** Whether the application runs the service as a sandbox, where nobody collects metrics. */
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
  const audit = openAudit(store, log)
  const archives =
    options.archives === null ? null : openArchives(options.archives, deploymentsIn(store), log)
  const metrics = isSandbox ? null : await createMetrics(store)
  const app = createApp(options, { store, audit, archives, log, metrics, isEnding: () => isEnding })
  const server = await listen(app, { ...options, log, metrics })

  const drain = new AbortController()
  const end = (): void => {
    // A second signal ends the wait.
    if (isEnding) return drain.abort()
    isEnding = true
    void pause(options.drainMs, undefined, { signal: drain.signal })
      .catch(() => undefined)
      .then(() => server.close())
      .then(() => archives?.stop())
      .then(() => audit.close())
      .then(() => store.close())
      .then(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  if (options.tls !== null) process.on('SIGHUP', () => server.reload())
  process.stdout.write(`listening on ${server.url}\n`)
}

/** Refuses to serve other machines if no key is required. */
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
  if (command.does === 'backup') await write(await writeBackup(command.folder, command.file))
  else if (command.does === 'restore') await write(await restoreBackup(command.file, command.folder))
  else {
    const store = await visitStore(command.place, command.mode)
    await runOn(store, command)
      .then(write)
      .finally(() => store.close())
  }
  process.stdout.write('', () => process.exit(0))
}

/** Writes the output of a command, no faster than it is read. */
async function write({ lines, remark }: CommandOutput): Promise<void> {
  if (remark !== undefined) process.stderr.write(`${remark}\n`)
  for await (const line of lines) if (!process.stdout.write(`${line}\n`)) await drained()
}

/** Waits until the reader has taken the output, or is gone. */
async function drained(): Promise<void> {
  await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => undefined)
}

async function runOn(store: Store, command: StoreCommand): Promise<CommandOutput> {
  switch (command.does) {
    case 'keys add':
      return addKey(store, command)
    case 'keys list':
      return listKeys(store)
    case 'keys revoke':
      return revokeKey(store, command.name)
    case 'audit':
      return { lines: auditLines(store) }
    case 'repositories import':
      return importRepositories(store, command.from, (message) => process.stderr.write(`${message}\n`))
  }
}

/** How to name the place of the data. A connection string isn't shown, because it may contain a password. */
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

// The reader of the output may end before the service, which continues without it.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)

try {
  const args = process.argv.slice(2)
  const command = args.includes('--help') ? null : readCommand(args, process.env)
  if (command !== null) run(command).catch(refuse)
  else {
    const options = readArguments(args, process.env)
    if (options === null) process.stdout.write(`${usage}\n`)
    else serve(options).catch(refuse)
  }
} catch (error) {
  refuse(error)
}
