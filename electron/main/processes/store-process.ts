import type {
  KeychainReply,
  KeychainRequest,
  StateReply,
  StateRequest,
  CacheOp,
  CacheReply,
  CacheRequest,
} from '../../cache/protocol'

/** The part of Electron's UtilityProcess that is used. */
export interface ForkedStore {
  postMessage: (message: unknown) => void
  onMessage: (listener: (message: unknown) => void) => void
  onExit: (listener: () => void) => void
  /** Ends the process at once, even if it hangs. */
  kill: () => void
}

interface Waiting {
  /** Null if the process ended, or took too long. */
  settle: (reply: unknown) => void
  op: CacheOp | 'state' | 'keychain'
}

/** A process that was started, and the requests that it hasn't answered. */
export interface RunningStore {
  process: ForkedStore
  waiting: Map<number, Waiting>
  /** Ends it, unless it answers something before; null while nothing waits but for the keychain. */
  timer: NodeJS.Timeout | null
}

/** Work on a whole file may take longer. */
const longWork: readonly Waiting['op'][] = ['open', 'bulk', 'clean-up']
const longTimeLimitMs = 10 * 60_000

export interface StoreProcessOptions {
  fork: () => ForkedStore
  /** How long the process may take for its next answer, in milliseconds, before it counts as hanging. */
  timeLimitMs?: number
  /** A process that ends more often than this within a minute isn't started again in that minute. */
  startsAMinute?: number
}

export type StoreProcess = ReturnType<typeof createStoreProcess>

/**
 * The process that owns the caches, `state.db` and the keychain. It starts with the first request, and again after it
 * has ended.
 */
export function createStoreProcess({ fork, timeLimitMs = 30_000, startsAMinute = 6 }: StoreProcessOptions) {
  let running: RunningStore | null = null
  /** By a monotonic clock. */
  let starts: number[] = []
  let nextId = 1
  let stopped = false

  /** The process that runs, started if there is none; null if it ended too often lately, or after `stop`. */
  function start(): RunningStore | null {
    if (running) return running
    const now = performance.now()
    starts = starts.filter((at) => now - at < 60_000)
    if (stopped || starts.length >= startsAMinute) return null
    starts.push(now)
    const started: RunningStore = { process: fork(), waiting: new Map(), timer: null }
    running = started
    started.process.onMessage((message) => {
      const { id } = message as { id: number }
      started.waiting.get(id)?.settle(message)
    })
    started.process.onExit(() => drop(started))
    return started
  }

  /** Starts the time limit for the next answer. */
  function time(of: RunningStore): void {
    if (of.timer) clearTimeout(of.timer)
    of.timer = null
    const ops = [...of.waiting.values()].map(({ op }) => op).filter((op) => op !== 'keychain')
    if (running !== of || ops.length === 0) return
    const isLong = ops.some((op) => longWork.includes(op))
    of.timer = setTimeout(() => end(of), isLong ? longTimeLimitMs : timeLimitMs)
  }

  function end(of: RunningStore): void {
    of.process.kill()
    drop(of)
  }

  function drop(dropped: RunningStore): void {
    if (running === dropped) running = null
    for (const { settle } of [...dropped.waiting.values()]) settle(null)
  }

  function post(to: RunningStore, op: Waiting['op'], body: object): Promise<unknown> {
    if (running !== to) return Promise.resolve(null)
    const id = nextId++
    return new Promise((resolve) => {
      function settle(reply: unknown): void {
        to.waiting.delete(id)
        time(to)
        resolve(reply)
      }
      to.waiting.set(id, { settle, op })
      if (!to.timer || longWork.includes(op)) time(to)
      to.process.postMessage({ id, ...body })
    })
  }

  return {
    /** The process that runs; null if there is none. */
    current: (): RunningStore | null => running,
    start,
    /** Sends a request. Null if the process has ended, or takes too long and is therefore ended. */
    send: async (to: RunningStore, request: CacheRequest): Promise<CacheReply | null> =>
      (await post(to, request.op, { request })) as CacheReply | null,
    sendState: async (to: RunningStore, state: StateRequest): Promise<StateReply | null> =>
      ((await post(to, 'state', { state })) as { state: StateReply } | null)?.state ?? null,
    /** Makes a call to the keychain, beside other requests and without a time limit. Null if the process has ended. */
    callKeychain: async (to: RunningStore, keychain: KeychainRequest): Promise<KeychainReply | null> =>
      ((await post(to, 'keychain', { keychain })) as { keychain: KeychainReply } | null)?.keychain ?? null,
    /** From now on none is started. Gives the one that runs. */
    stop(): RunningStore | null {
      stopped = true
      return running
    },
    /** Ends a process. */
    end,
  }
}
