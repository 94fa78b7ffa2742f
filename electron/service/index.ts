/** The built-in deployment service: a separate process, started by the application or manually. */
import { serviceExit } from '@contract/app/processes'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openAudit } from './access/audit'
import { isInForce } from './access/key-ring'
import { createApp } from './app'
import { openArchives } from './archives'
import { readTask, type ServiceOptions, type Task, usage } from './arguments'
import { openLog } from './base/log'
import { isLoopbackHost } from './base/loopback'
import { Refusal } from './base/refusal'
import { StorageFailure } from './base/storage-failure'
import type { CommandOutput } from './commands/repositories'
import { runCommand } from './commands/store-commands'
import { openStore, type Store } from './database/store'
import { createMetrics } from './http/metrics'
import { listen } from './http/server'
import { fillWithSample, sampleTenant } from './sample'

/** Whether the application runs the service as a sandbox, where nobody collects metrics. */
const isSandbox = 'electron' in process.versions

/** How often what is no longer needed is removed, in milliseconds. */
const tidyMs = 3_600_000

async function serve(options: ServiceOptions): Promise<void> {
  const { mode, place, sample, archivePlan } = options
  const log = await openLog(options.logFormat)
  const tenant = sample === null ? {} : { tenantId: sampleTenant(mode) }
  const store = await openStore(place, { mode, isService: true, ...tenant })
  await requireKeyFor(options, store)
  if (sample !== null && !(await fillWithSample(store, mode, sample))) {
    log.problem(
      `--sample changed nothing: ${'folder' in place ? place.folder : 'the database'} isn't empty. To get sample ` +
        `deployments and repositories, use an empty ${'folder' in place ? 'folder with --data' : 'database'}.`,
    )
  }
  let isEnding = false
  const audit = openAudit(store, log)
  const archives = archivePlan === null ? null : openArchives(archivePlan, store, log)
  const metrics = isSandbox ? null : await createMetrics(store)
  const app = createApp(options, { store, audit, archives, log, metrics, isEnding: () => isEnding })
  const server = await listen(app, { ...options, log, metrics })
  const tidy = (): void => {
    store
      .tidy()
      .catch((error: Error) => log.problem("What is no longer needed can't be removed yet.", error.message))
    void archives?.tidy()
  }
  tidy()
  setInterval(tidy, tidyMs).unref()

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
async function run(task: Exclude<Task, { does: 'serve' }>): Promise<void> {
  switch (task.does) {
    case 'show':
      process.stdout.write(task.text)
      break
    case 'backup':
    case 'restore':
      await write(await copy(task))
      break
    default: {
      const store = await openStore(task.place, { mode: task.mode, isService: false })
      await runCommand(store, task)
        .then(write)
        .finally(() => store.close())
    }
  }
  process.stdout.write('', () => process.exit(0))
}

/** Writes a backup, or restores one. */
async function copy({ does, folder, file }: Extract<Task, { folder: string }>): Promise<CommandOutput> {
  const { backUp, restore } = await import('./database/backup')
  const archives = join(folder, 'archives')
  if (does === 'backup') {
    await backUp(folder, file)
    const remark =
      `Wrote ${file}, and its checksum beside it. It has the keys' hashes and all deployments, but no archives: ` +
      `copy ${archives}, or the folder of --archives, too.`
    return { lines: [], remark }
  }
  const isChecked = await restore(file, folder)
  const unchecked = isChecked ? '' : ` There was no ${file}.sha256, so only its structure was checked.`
  const remark =
    `Restored ${file} into ${folder}.${unchecked} Keys are as they were then: ` +
    `revoke again those that were revoked since. Copy the archives into ${archives}.`
  return { lines: [], remark }
}

/** Writes the output of a command, no faster than it is read. */
async function write({ lines, remark }: CommandOutput): Promise<void> {
  if (remark !== undefined) process.stderr.write(`${remark}\n`)
  for await (const line of lines) {
    if (process.stdout.write(`${line}\n`)) continue
    // Until the reader has taken it, or is gone.
    await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]).catch(() => undefined)
  }
}

/** Exits once the message is written. As a child of Electron, the process would otherwise wait for messages. */
function refuse(error: unknown): void {
  const reason = error instanceof Refusal ? error.reason : 'other'
  const isExplained = error instanceof Refusal || error instanceof StorageFailure
  const message = isExplained ? error.message : String((error as Error | null)?.stack ?? error)
  const text = reason === 'arguments' ? `${message}\n\n${usage()}` : `${message}\n`
  process.stderr.write(text, () => process.exit(serviceExit[reason]))
}

// The reader of the output may end before the service, which continues without it.
process.stdout.on('error', () => undefined)
process.stderr.on('error', () => undefined)
// Only the owner may read the database, SQLite's files beside it, and copies.
process.umask(0o077)

try {
  const task = readTask(process.argv.slice(2), process.env)
  void (task.does === 'serve' ? serve(task.options) : run(task)).catch(refuse)
} catch (error) {
  refuse(error)
}
