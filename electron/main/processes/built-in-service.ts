import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import {
  builtInEnvironments,
  type EnvironmentMode,
  fail,
  failure,
  modeLabels,
  type Outcome,
  succeed,
} from '@contract'
import { serviceExit } from '@contract/deployment-api/request/limits'
import { raceTimeout } from '../async'
import { renameDamaged } from '../files'

/** How to reach the built-in service of a mode. The key is new for every run. */
interface RunningService {
  baseUrl: string
  apiKey: string
}

export type BuiltInService = ReturnType<typeof createBuiltInService>

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
 * How long a service that isn't the current environment's is kept after its last use, in milliseconds: longer than
 * watches wait between two requests, so that they don't start it each time.
 */
const restsAfterMs = 35_000

/**
 * The built-in deployment services: one process for each mode, which starts when it is used. That of an environment that
 * isn't the current one ends after its last use, to free its memory.
 */
export function createBuiltInService({
  fork,
  folder,
  begunAnew,
  startTimeLimitMs = 20_000,
}: BuiltInServiceOptions) {
  const starts = new Map<EnvironmentMode, Promise<Outcome<RunningService>>>()
  const listening = new Map<EnvironmentMode, RunningService>()
  const processes = new Map<ServiceProcess, Promise<void>>()
  const rests = new Map<EnvironmentMode, NodeJS.Timeout>()
  const ends = new Map<EnvironmentMode, () => void>()
  /** Resolve when a process has ended that was told to. */
  const resting = new Map<EnvironmentMode, Promise<void>>()
  const listeners = new Set<() => void>()
  let closed = false

  const notify = (): void => listeners.forEach((listener) => listener())

  /** Ends the running service of a mode unless it is used again in time, or its environment is the current one. */
  function restLater(mode: EnvironmentMode, isCurrent: () => boolean): void {
    clearTimeout(rests.get(mode))
    const rest = (): void => (isCurrent() ? restLater(mode, isCurrent) : ends.get(mode)?.())
    rests.set(mode, setTimeout(rest, restsAfterMs).unref())
  }

  /** Starts the service of a mode. Damaged data is set aside, and the service starts with new sample data. */
  async function begin(mode: EnvironmentMode): Promise<Outcome<RunningService>> {
    const first = await tryToBegin(mode)
    if (first !== 'damaged') return first
    try {
      begunAnew(mode, renameDamaged(join(folder, mode)))
    } catch (error) {
      return didNotStart(mode, `its data is damaged and could not be set aside (${String(error)})`)
    }
    if (closed) return didNotStart(mode, closing)
    const second = await tryToBegin(mode)
    return second === 'damaged' ? didNotStart(mode, 'its data was damaged again at once') : second
  }

  async function tryToBegin(mode: EnvironmentMode): Promise<Outcome<RunningService> | 'damaged'> {
    const apiKey = randomBytes(24).toString('base64url')
    const child = fork(
      ['--port', '0', '--mode', mode, '--data', join(folder, mode), '--sample', String(sampleSize)],
      { SLIPWAY_SERVICE_API_KEY: apiKey },
    )
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    processes.set(child, ended)
    if (closed) child.kill()
    let running: RunningService | null = null
    void ended.then(() => {
      processes.delete(child)
      if (running === null) return
      starts.delete(mode)
      listening.delete(mode)
      notify()
    })

    const start = await waitUntilListening(child, startTimeLimitMs)
    if (!start.ok) {
      child.kill()
      return start.status === serviceExit.damaged ? 'damaged' : didNotStart(mode, start.reason)
    }
    if (!processes.has(child)) return didNotStart(mode, 'it ended at once')
    running = { baseUrl: start.url, apiKey }
    listening.set(mode, running)
    ends.set(mode, () => {
      resting.set(mode, ended)
      child.kill()
    })
    notify()
    return succeed(running)
  }

  return {
    /**
     * Starts the service of a mode, or gives the running one. Simultaneous calls share one start. A service that ended
     * by itself is started again. `isCurrent` tells whether its environment is the current one. Failure:
     * `built-in-service`.
     */
    async start(mode: EnvironmentMode, isCurrent: () => boolean): Promise<Outcome<RunningService>> {
      if (closed) return didNotStart(mode, closing)
      restLater(mode, isCurrent)
      await resting.get(mode)
      const start = starts.get(mode) ?? begin(mode)
      starts.set(mode, start)
      const outcome = await start
      if (!outcome.ok) starts.delete(mode)
      return outcome
    },
    /** The running service of a mode; null before it listens and after it ended. */
    running: (mode: EnvironmentMode): RunningService | null => listening.get(mode) ?? null,
    /** Calls `listener` whenever a service starts or ends. Gives the function that removes it. */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Ends the services, and waits for them for at most 2 seconds. None starts afterwards. */
    async close(): Promise<void> {
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

/** The part of Electron's UtilityProcess that is used here. */
export interface ServiceProcess {
  stdout: NodeJS.ReadableStream | null
  stderr: NodeJS.ReadableStream | null
  once: (event: 'exit', listener: (code: number) => void) => unknown
  /** Sends SIGTERM. */
  kill: () => unknown
}

/** The URL of a service that listens, or why it doesn't, in one line, with its exit status if it ended. */
type Start = { ok: true; url: string } | { ok: false; reason: string; status: number | null }

/** How much output is kept to explain a failed start, in characters. */
const maxOutput = 2_000

/** How long to wait for the rest of the error output after the process has ended, in milliseconds. */
const lastLinesMs = 1_000

/**
 * Waits for the line `listening on http://HOST:PORT` on standard output. Goes on reading, so that a full pipe never
 * blocks the process. A failure includes the last lines of the error output.
 */
function waitUntilListening(child: ServiceProcess, timeLimitMs: number): Promise<Start> {
  return new Promise((resolve) => {
    let output = ''
    let errors = ''
    const explain = (what: string, status: number | null): Start => {
      const words = errors.trim().split('\n').slice(-5).join(' ')
      return { ok: false, reason: words === '' ? what : `${what}: ${words}`, status }
    }
    const timer = setTimeout(
      () => resolve(explain(`it did not listen within ${timeLimitMs / 1000} s`, null)),
      timeLimitMs,
    )
    const settle = (start: Start): void => {
      clearTimeout(timer)
      resolve(start)
    }

    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output = (output + chunk).slice(-maxOutput)
      const line = /^listening on (http:\/\/\S+)\r?\n/m.exec(output)
      if (line?.[1]) settle({ ok: true, url: line[1].replace(/\/$/, '') })
    })
    const { stderr } = child
    const note = (chunk: string): void => void (errors = (errors + chunk).slice(-maxOutput))
    let allRead = stderr === null
    stderr?.setEncoding('utf8').on('data', note)
    stderr?.once('end', () => (allRead = true))
    child.once('exit', (code) => {
      const settleEnd = (): void => settle(explain(`it ended with code ${code}`, code))
      setTimeout(settleEnd, allRead ? 0 : lastLinesMs)
      // The last lines may still be in the pipe, and Electron removes all listeners after `exit`.
      queueMicrotask(() => stderr?.off('data', note).on('data', note).once('end', settleEnd))
    })
  })
}
