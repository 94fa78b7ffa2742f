import { fail, type Outcome, succeed } from '@contract'
import {
  type CacheOp,
  type CacheOutput,
  type CacheReply,
  cacheReplySchema,
  unorderedOps,
} from '@contract/cache'
import { JsonText } from '../answers/json-text'
import { ended, failureOf } from './failures'
import type { CacheOptions, CacheProcess, Inputs } from './types'

interface Waiting {
  settle: (outcome: Outcome<JsonText<never>>) => void
  environmentId: string
  op: CacheOp
  /** Its time limit; null while the process works on an earlier request. */
  timer: NodeJS.Timeout | null
}

/** A cache that is open or being opened. */
export interface Opening {
  /** The service that it belongs to; a failure if that isn't known, so that the cache is in memory. */
  service: Promise<Outcome<string>>
  done: Promise<Outcome<null>>
  /** Whether a visit began it: then it fails where other requests would go on in memory. */
  readonly byVisit: boolean
  /** How many visits are using it. */
  visits: number
  /** Whether it stays open when the last visit ends. */
  stays: boolean
}

/** A cache process that was started, and the requests that it hasn't answered. */
export interface RunningProcess {
  process: CacheProcess
  waiting: Map<number, Waiting>
  opened: Map<string, Opening>
}

/** Work on a whole file may take longer. */
const longWork: readonly CacheOp[] = ['open', 'check', 'bulk', 'clean-up']
const longTimeLimitMs = 10 * 60_000

/**
 * What depends on the file alone, so that the file is at fault if it takes too long. Anything else may take long
 * because of what the service answered, and a file that was left in the middle of it is checked when it is opened
 * again.
 */
const onlyOfFile: readonly CacheOp[] = ['open', 'check']

/** The requests to the cache process. */
export interface Requests {
  /** The process that runs; null if there is none. */
  current: () => RunningProcess | null
  /** The same, started if there is none; null if it ended too often lately, or after `stop`. */
  start: () => RunningProcess | null
  /**
   * Sends a request to a process, which answers in order, apart from `unorderedOps`. Fails as the process says, and with
   * `ended` if it has ended or takes too long.
   */
  send: <Op extends CacheOp>(
    to: RunningProcess,
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
  ) => Promise<Outcome<JsonText<CacheOutput<Op>>>>
  /** From now on none is started. Gives the one that runs. */
  stop: () => RunningProcess | null
  /** Ends a process. Its requests fail. */
  end: (running: RunningProcess) => void
}

interface RequestsOptions extends Required<Pick<CacheOptions, 'fork' | 'timeLimitMs' | 'startsAMinute'>> {
  /** Called with the environment whose cache the process was working on when it crashed or hung. */
  atFault: (environmentId: string) => void
  /** Called with each reply, and what it answers, before its request settles. */
  replied: (from: RunningProcess, request: { environmentId: string; op: CacheOp }, reply: CacheReply) => void
}

/** Starts the cache process with the first request, and again after it has ended, and limits the time of requests. */
export function createRequests(options: RequestsOptions): Requests {
  const { fork, timeLimitMs, startsAMinute, atFault, replied } = options
  let running: RunningProcess | null = null
  /** By a monotonic clock. */
  let starts: number[] = []
  let nextId = 1
  let stopped = false

  function start(): RunningProcess | null {
    if (running) return running
    const now = performance.now()
    starts = starts.filter((at) => now - at < 60_000)
    if (stopped || starts.length >= startsAMinute) return null
    starts.push(now)
    const started: RunningProcess = { process: fork(), waiting: new Map(), opened: new Map() }
    running = started
    started.process.onMessage((message) => {
      const reply = cacheReplySchema.safeParse(message)
      if (reply.success) receive(started, reply.data)
    })
    started.process.onExit((crashed) => {
      if (crashed) blame(started)
      drop(started)
    })
    return started
  }

  /** The request that the process works on. It is the first one, but for those that are answered out of order. */
  function underWay({ waiting }: RunningProcess): Waiting | undefined {
    const requests = [...waiting.values()]
    return requests.find(({ op }) => !unorderedOps.includes(op)) ?? requests[0]
  }

  /** Starts the time limit of the request that the process works on. Those behind it have none yet. */
  function time(of: RunningProcess): void {
    const request = underWay(of)
    if (running !== of || !request || request.timer) return
    request.timer = setTimeout(
      () => {
        request.timer = null
        // One that others don't wait for may have begun while there was no other.
        if (underWay(of) !== request) return
        if (onlyOfFile.includes(request.op)) blame(of)
        end(of)
      },
      longWork.includes(request.op) ? longTimeLimitMs : timeLimitMs,
    )
  }

  function blame(of: RunningProcess): void {
    const first = underWay(of)
    if (first) atFault(first.environmentId)
  }

  function end(of: RunningProcess): void {
    of.process.kill()
    drop(of)
  }

  function drop(dropped: RunningProcess): void {
    if (running === dropped) running = null
    for (const { settle } of [...dropped.waiting.values()]) settle(fail(ended))
  }

  function receive(from: RunningProcess, reply: CacheReply): void {
    const waiting = from.waiting.get(reply.id)
    if (!waiting) return
    replied(from, waiting, reply)
    waiting.settle(reply.ok ? succeed(new JsonText(reply.text)) : fail(failureOf(reply)))
  }

  const send: Requests['send'] = (to, environmentId, op, input) => {
    // It may have ended while the key was requested.
    if (running !== to) return Promise.resolve(fail(ended))
    const id = nextId++
    return new Promise((resolve) => {
      const waiting: Waiting = { settle, environmentId, op, timer: null }
      function settle(outcome: Outcome<JsonText<never>>): void {
        if (waiting.timer) clearTimeout(waiting.timer)
        to.waiting.delete(id)
        time(to)
        resolve(outcome)
      }
      to.waiting.set(id, waiting)
      time(to)
      to.process.postMessage({ id, request: { ...input, op, environmentId } })
    })
  }

  return {
    current: () => running,
    start,
    send,
    stop() {
      stopped = true
      return running
    },
    end,
  }
}
