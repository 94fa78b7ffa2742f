import { join } from 'node:path'
import { serviceExit } from '@contract/deployment-api/request/limits'
import { readTask } from '../../../electron/service/arguments'
import { type Log, textLog } from '../../../electron/service/base/log'
import { Refusal } from '../../../electron/service/base/failures'
import { runTask } from '../../../electron/service/commands/store-commands'
import { runService } from '../../../electron/service/running'
import { forgetDescription } from './described-answers'
import { placeOf, removeData, type ServiceStart, temporaryFolder, wordsOf } from './service-process'

/** A built-in service in this process: the same, where a process of its own isn't the subject. */
export interface ServiceHere {
  url: string
  /** The folder of its database. */
  data: string
  /** Its log so far, without times: one line for each request or event. */
  log: () => string
  /** Ends it. */
  stop: () => Promise<void>
  /** Ends it if it is running, and removes its folder if that is temporary. */
  dispose: () => Promise<void>
}

/** Starts a service in this process, and waits until it listens. */
export async function startService(start: ServiceStart = {}): Promise<ServiceHere> {
  const data = start.data ?? temporaryFolder()
  const task = readTask(await wordsOf(start, data), { SLIPWAY_SERVICE_API_KEY: start.apiKey })
  if (task.does !== 'serve') throw new Error('These words start no service.')
  let text = ''
  const add = (line: string): void => void (text += `${line}\n`)
  const log: Log = {
    request: ({ method, path, status }) => add(`${method} ${path} ${status ?? '-'}`),
    note: add,
    problem: (message, error) =>
      add(`${message} ${String((error as Error | undefined)?.stack ?? error ?? '')}`),
  }
  const service = await runService(task.options, log)
  let ended: Promise<void> | undefined
  const stop = (): Promise<void> => (ended ??= service.close())
  return {
    url: service.url,
    data,
    log: () => text,
    stop,
    async dispose() {
      await stop()
      forgetDescription(service.url)
      await removeData(start, data)
    },
  }
}

/** Runs a command, such as `keys add`, on the data that `startService` has for a folder. */
export const runCommand = async (data: string, ...args: string[]) => run([...args, ...(await placeOf(data))])

/** Adds a key by the command, and gives the headers that carry it. */
export async function headersOf(data: string, name: string, ...options: string[]) {
  const { stdout } = await runCommand(data, 'keys', 'add', name, ...options)
  return { 'content-type': 'application/json', 'x-api-key': stdout.trim() }
}

/** Runs a command line that should end by itself. Gives its output, and the status that the process would end with. */
export async function run(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ['', '']
  try {
    const task = readTask(args, {})
    if (task.does === 'show') throw new Error('These words are no command.')
    if (task.does === 'serve') {
      await (await runService(task.options, textLog)).close()
      throw new Error('These words start a service.')
    }
    await runTask(task, async ({ lines, remark }) => {
      if (remark !== undefined) stderr += `${remark}\n`
      for await (const line of lines) stdout += `${line}\n`
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { code: serviceExit[error.reason], stdout, stderr: `${stderr}${error.message}\n` }
  }
}

/** The file of the database in a folder. */
export const databaseFile = (data: string): string => join(data, 'deployments.sqlite')
