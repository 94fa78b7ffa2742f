import { randomBytes } from 'node:crypto'
import { basename, join } from 'node:path'
import {
  builtInEnvironments,
  type EnvironmentMode,
  type Outcome,
  fail,
  failure,
  modeLabels,
  succeed,
} from '@contract'
import { serviceExit } from '@contract/app/processes'
import { raceTimeout } from '../../async'
import { nodeFiles } from '../../files'
import { asidePath } from '../../files/set-aside'
import { type ServiceProcess, waitUntilListening } from './listening'

/** How to reach the built-in service of a mode. The key is new for every run. */
interface RunningService {
  baseUrl: string
  apiKey: string
}

/** The built-in deployment services: one process for each mode, started when it is first used. */
export interface BuiltInService {
  /**
   * Starts the service of a mode, or gives the running one. Simultaneous calls share one start. A service that ended by
   * itself is started again. Failure: `built-in-service`.
   */
  start: (mode: EnvironmentMode) => Promise<Outcome<RunningService>>
  /** The running service of a mode; null before it listens and after it ended. */
  running: (mode: EnvironmentMode) => RunningService | null
  /** Calls `listener` whenever a service starts or ends. Gives the function that removes it. */
  onChange: (listener: () => void) => () => void
  /** Ends the services, and waits for them for at most 2 seconds. None starts afterwards. */
  close: () => Promise<void>
}

export interface BuiltInServiceOptions {
  /** Forks the service with arguments and additional environment variables. */
  fork: (args: string[], variables: Record<string, string>) => ServiceProcess
  /** Where the services keep their data: a folder for each mode. */
  folder: string
  /** Called when a mode's data was damaged, and its folder was renamed to `aside`. */
  begunAnew: (mode: EnvironmentMode, aside: string) => void
  /** How long a service may take until it listens, in milliseconds. */
  startTimeLimitMs?: number
}

/** The number of sample deployments in an empty service. */
const sampleSize = 250

const closeTimeLimitMs = 2_000

/**
 * Exit statuses of a crash in a library: SIGABRT and SIGSEGV; on Windows a failed check and an access violation. Users
 * and systems end processes with others, such as SIGKILL.
 */
const crashes: readonly number[] = [6, 11, 0xc0000409, 0xc0000005]

/** Creates the built-in services without starting one. */
export function createBuiltInService({
  fork,
  folder,
  begunAnew,
  startTimeLimitMs = 20_000,
}: BuiltInServiceOptions): BuiltInService {
  const starts = new Map<EnvironmentMode, Promise<Outcome<RunningService>>>()
  const listening = new Map<EnvironmentMode, RunningService>()
  const processes = new Map<ServiceProcess, Promise<void>>()
  const listeners = new Set<() => void>()
  let closed = false

  const notify = (): void => listeners.forEach((listener) => listener())

  /**
   * Starts the service of a mode. Damaged data is set aside, and the service starts with new sample data.
   *
   * @param gone is called when a service that was listening has ended
   */
  async function begin(mode: EnvironmentMode, gone: () => void): Promise<Outcome<RunningService>> {
    let first = await tryToBegin(mode, gone)
    // Damaged data can crash SQLite. A crash for another reason won't repeat.
    if (first === 'crashed' && !closed) first = await tryToBegin(mode, gone)
    if (typeof first === 'object') return first
    const path = join(folder, mode)
    try {
      const aside = await asidePath(nodeFiles, path, 'damaged')
      await nodeFiles.rename(path, aside)
      begunAnew(mode, basename(aside))
    } catch (error) {
      return didNotStart(mode, `its data is damaged and could not be set aside (${String(error)})`)
    }
    if (closed) return didNotStart(mode, closing)
    const second = await tryToBegin(mode, gone)
    return typeof second === 'object' ? second : didNotStart(mode, 'its data was damaged again at once')
  }

  async function tryToBegin(
    mode: EnvironmentMode,
    gone: () => void,
  ): Promise<Outcome<RunningService> | 'damaged' | 'crashed'> {
    const apiKey = randomBytes(24).toString('base64url')
    let child: ServiceProcess
    try {
      child = fork(
        ['--port', '0', '--mode', mode, '--data', join(folder, mode), '--sample', String(sampleSize)],
        { SLIPWAY_SERVICE_API_KEY: apiKey },
      )
    } catch (error) {
      return didNotStart(mode, String(error))
    }
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    processes.set(child, ended)
    if (closed) child.kill()
    let running: RunningService | null = null
    void ended.then(() => {
      processes.delete(child)
      if (running === null) return
      gone()
      if (listening.get(mode) === running) {
        listening.delete(mode)
        notify()
      }
    })

    const start = await waitUntilListening(child, startTimeLimitMs)
    if (!start.ok) {
      child.kill()
      if (start.status === serviceExit.damaged) return 'damaged'
      return crashes.includes((start.status ?? 0) >>> 0) && !closed
        ? 'crashed'
        : didNotStart(mode, start.reason)
    }
    if (!processes.has(child)) return didNotStart(mode, 'it ended at once')
    running = { baseUrl: start.url, apiKey }
    listening.set(mode, running)
    notify()
    return succeed(running)
  }

  return {
    async start(mode) {
      if (closed) return didNotStart(mode, closing)
      const known = starts.get(mode)
      if (known) return await known
      const forget = (): void => {
        if (starts.get(mode) === start) starts.delete(mode)
      }
      const start = begin(mode, () => forget())
      starts.set(mode, start)
      const outcome = await start
      if (!outcome.ok) forget()
      return outcome
    },
    running: (mode) => listening.get(mode) ?? null,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      closed = true
      for (const child of processes.keys()) child.kill()
      await raceTimeout(Promise.all(processes.values()), closeTimeLimitMs)
    },
  }
}

/** The notice about sandboxes that were reset in this session. `asides` has the folders that were set aside. */
export function begunAnewNotice(asides: ReadonlyMap<EnvironmentMode, string>): string {
  return [...asides]
    .map(
      ([mode, aside]) =>
        `The data of ${builtInEnvironments[mode].name} was damaged. It was set aside as built-in-service/${aside}, and ` +
        'the sandbox was reset to its sample data. What you created there is gone.',
    )
    .join(' ')
}

const closing = 'Slipway is closing'

function didNotStart(mode: EnvironmentMode, reason: string): Outcome<never> {
  return fail(
    failure('built-in-service', `The built-in service (${modeLabels[mode].toLowerCase()}) did not start.`, {
      advice: `Try again. Reason: ${reason}`,
      retryable: true,
    }),
  )
}
