/** The built-in deployment service: a separate process, started by the application or manually. */
import { serviceExit } from '@contract/deployment-api/request/limits'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { readTask, type ServiceOptions, usage } from './arguments'
import { openLog } from './base/log'
import { Refusal, StorageFailure } from './base/failures'
import type { CommandOutput } from './commands/repositories'
import { runTask } from './commands/store-commands'
import { runService } from './running'

async function serve(options: ServiceOptions): Promise<void> {
  const service = await runService(options, await openLog(options.logFormat))
  const drain = new AbortController()
  let isEnding = false
  const end = (): void => {
    // A second signal ends the wait.
    if (isEnding) return drain.abort()
    isEnding = true
    service.announceEnd()
    void pause(options.drainMs, undefined, { signal: drain.signal })
      .catch(() => undefined)
      .then(() => service.close())
      .then(() => process.exit(0))
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  process.stdout.write(`listening on ${service.url}\n`)
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

async function main(): Promise<void> {
  const task = readTask(process.argv.slice(2), process.env)
  if (task.does === 'serve') return serve(task.options)
  if (task.does === 'show') await write({ lines: [task.text.trimEnd()] })
  else await runTask(task, write)
  process.stdout.write('', () => process.exit(0))
}

main().catch(refuse)
