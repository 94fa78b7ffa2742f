import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, failure, type Failure, type Outcome, succeed } from '@contract'
import {
  type CacheInput,
  type CacheOp,
  type CacheOutput,
  cacheReplies,
  type CacheReply,
  cacheReplySchema,
  type SetAside,
} from '@contract/cache'
import type { CacheKeys } from './keys'

/** What is needed of the cache process. */
export interface CacheProcess {
  postMessage: (message: unknown) => void
  onMessage: (listener: (message: unknown) => void) => void
  onExit: (listener: () => void) => void
  /** Ends the process at once, whatever it is doing. */
  kill: () => void
}

/** Something about a copy that its owner should know. */
export type CacheNotice = { environmentId: string } & (
  | { kind: 'set-aside'; setAside: SetAside }
  | { kind: 'damaged-rows'; count: number }
  | { kind: 'memory-only'; reason: Failure }
  | { kind: 'disk-full' }
)

export interface CacheOptions {
  fork: () => CacheProcess
  keys: CacheKeys
  /** Where the files are, one an environment. */
  folder: string
  notice: (notice: CacheNotice) => void
  /** How long a request may take, in milliseconds, before the process counts as hanging. */
  timeLimitMs?: number
}

type Inputs<Op extends CacheOp> = Omit<CacheInput<Op>, 'environmentId'>
/** The requests about a copy that is open; opening and closing happen by themselves. */
type CopyOp = Exclude<CacheOp, 'open' | 'close' | 'remove'>

/** The copies of the environments, in a process of their own. Every call may fail with `cache` or `disk-full`. */
export interface Cache {
  ask: <Op extends CopyOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
  ) => Promise<Outcome<CacheOutput<Op>>>
  /** Like `ask`, but gives the reply's JSON text as it came, to be passed on unread. */
  askText: <Op extends CopyOp>(environmentId: string, op: Op, input: Inputs<Op>) => Promise<Outcome<string>>
  /** Where the copy of an environment is kept; null before it was opened. */
  kept: (environmentId: string) => 'disk' | 'memory' | null
  /** How often the copy of an environment was opened, or begun anew because it was damaged, in this session. */
  opening: (environmentId: string) => number
  /** Removes the copy of an environment, its file and its key. */
  remove: (environmentId: string) => Promise<void>
  /** Closes the copies, for a second at most, and ends the process. */
  close: () => Promise<void>
}

interface Waiting {
  settle: (outcome: Outcome<string>) => void
  environmentId: string
  timer: NodeJS.Timeout
}

interface Child {
  process: CacheProcess
  waiting: Map<number, Waiting>
  opened: Map<string, Promise<Outcome<null>>>
}

/** How long after opening a file that was not closed in order it is checked, in milliseconds. */
const checkAfterMs = 15_000

/** Work on a whole file may take longer. */
const longWork: readonly CacheOp[] = ['check', 'bulk', 'clean-up']
const longTimeLimitMs = 10 * 60_000

/** A process that ends more often than this within a minute is not started again for the rest of it. */
const mostStartsAMinute = 6

const ended = failure('cache', 'The process that keeps the local copy has ended.', {
  advice: 'It is started again by itself; nothing at the service is affected.',
  retryable: true,
})

/**
 * The client of the cache process. The process is started with the first request and, when it has crashed or hangs,
 * again with the next one; copies are opened as they are asked for.
 */
export function createCache({ fork, keys, folder, notice, timeLimitMs = 30_000 }: CacheOptions): Cache {
  const kept = new Map<string, 'disk' | 'memory'>()
  const openings = new Map<string, number>()
  let child: Child | null = null
  let starts: number[] = []
  let nextId = 1
  let closed = false

  const fileOf = (environmentId: string): string => join(folder, `${encodeURIComponent(environmentId)}.db`)

  function countOpening(environmentId: string): void {
    openings.set(environmentId, (openings.get(environmentId) ?? 0) + 1)
  }

  function start(): Child | null {
    if (child) return child
    const now = Date.now()
    starts = starts.filter((at) => now - at < 60_000)
    if (closed || starts.length >= mostStartsAMinute) return null
    starts.push(now)
    const started: Child = { process: fork(), waiting: new Map(), opened: new Map() }
    child = started
    started.process.onMessage((message) => {
      const reply = cacheReplySchema.safeParse(message)
      if (reply.success) receive(started, reply.data)
    })
    started.process.onExit(() => drop(started))
    return started
  }

  function drop(dropped: Child): void {
    if (child === dropped) child = null
    for (const { settle } of [...dropped.waiting.values()]) settle(fail(ended))
  }

  function receive(from: Child, reply: CacheReply): void {
    const waiting = from.waiting.get(reply.id)
    if (!waiting) return
    if (reply.ok) {
      waiting.settle(succeed(reply.text))
      return
    }
    const { environmentId } = waiting
    if (reply.setAside) {
      countOpening(environmentId)
      notice({ environmentId, kind: 'set-aside', setAside: reply.setAside })
    } else if (reply.code === 'damaged' || reply.code === 'not-open') from.opened.delete(environmentId)
    if (reply.code === 'disk-full') notice({ environmentId, kind: 'disk-full' })
    waiting.settle(fail(failureOf(reply)))
  }

  function send(to: Child, environmentId: string, request: { op: CacheOp }): Promise<Outcome<string>> {
    const id = nextId++
    return new Promise((resolve) => {
      const limit = longWork.includes(request.op) ? longTimeLimitMs : timeLimitMs
      const timer = setTimeout(() => {
        to.process.kill()
        drop(to)
      }, limit)
      const settle = (outcome: Outcome<string>): void => {
        clearTimeout(timer)
        to.waiting.delete(id)
        resolve(outcome)
      }
      to.waiting.set(id, { settle, environmentId, timer })
      to.process.postMessage({ id, request: { ...request, environmentId } })
    })
  }

  async function open(to: Child, environmentId: string): Promise<Outcome<null>> {
    const file = fileOf(environmentId)
    const key = await keys.keyFor(environmentId, existsSync(file))
    const opened = key.ok
      ? await send(to, environmentId, { op: 'open', file, key: key.value } as { op: 'open' })
      : await openInMemory(to, environmentId, key.failure)
    if (!opened.ok) return opened
    countOpening(environmentId)
    if (key.ok) kept.set(environmentId, 'disk')
    const { setAside, uncleanlyClosed } = cacheReplies.open.parse(JSON.parse(opened.value))
    if (setAside) notice({ environmentId, kind: 'set-aside', setAside })
    if (key.ok && uncleanlyClosed) setTimeout(() => void check(to, environmentId), checkAfterMs).unref()
    return succeed(null)
  }

  async function check(of: Child, environmentId: string): Promise<void> {
    if (child !== of) return
    const checked = await send(of, environmentId, { op: 'check' })
    if (!checked.ok) return
    const { damagedRows } = cacheReplies.check.parse(JSON.parse(checked.value))
    if (damagedRows > 0) notice({ environmentId, kind: 'damaged-rows', count: damagedRows })
  }

  function openInMemory(to: Child, environmentId: string, reason: Failure): Promise<Outcome<string>> {
    if (kept.get(environmentId) !== 'memory') notice({ environmentId, kind: 'memory-only', reason })
    kept.set(environmentId, 'memory')
    const key = randomBytes(32).toString('hex')
    return send(to, environmentId, { op: 'open', file: null, key } as { op: 'open' })
  }

  async function askText(environmentId: string, op: CopyOp, input: object): Promise<Outcome<string>> {
    const to = start()
    if (!to) return fail(ended)
    let opening = to.opened.get(environmentId)
    if (!opening) {
      opening = open(to, environmentId)
      to.opened.set(environmentId, opening)
    }
    const opened = await opening
    if (!opened.ok) {
      to.opened.delete(environmentId)
      return opened
    }
    if (child !== to) return fail(ended)
    return send(to, environmentId, { op, ...input })
  }

  return {
    askText,

    async ask(environmentId, op, input) {
      const outcome = await askText(environmentId, op, input)
      if (!outcome.ok) return outcome
      const value = cacheReplies[op].safeParse(JSON.parse(outcome.value))
      return value.success ? succeed(value.data as CacheOutput<typeof op>) : fail(ended)
    },

    kept: (environmentId) => kept.get(environmentId) ?? null,

    opening: (environmentId) => openings.get(environmentId) ?? 0,

    async remove(environmentId) {
      kept.delete(environmentId)
      const to = start()
      if (to) {
        to.opened.delete(environmentId)
        await send(to, environmentId, { op: 'remove', file: fileOf(environmentId) } as { op: 'remove' })
      }
      await keys.forget(environmentId)
    },

    async close() {
      closed = true
      const last = child
      if (!last) return
      const closing = [...last.opened.keys()].map((id) => send(last, id, { op: 'close' }))
      await Promise.race([Promise.all(closing), new Promise((resolve) => setTimeout(resolve, 1000))])
      last.process.kill()
      drop(last)
    },
  }
}

function failureOf({ code, message }: Extract<CacheReply, { ok: false }>): Failure {
  switch (code) {
    case 'disk-full':
      return failure('disk-full', 'The disk is full, so the local copy could not be written.', {
        advice: 'Make room. Everything at the service works on; what is cached can still be read.',
      })
    case 'damaged':
      return failure('cache', 'The local copy was damaged. It was set aside and a new one begun.', {
        advice: 'Synchronise to fill the new copy; nothing at the service is affected.',
        retryable: true,
      })
    case 'unreadable-answer':
      return failure('unreadable-answer', 'The answer is not what the interface describes.')
    case 'not-open':
    case 'invalid-request':
    case 'internal':
      return failure('cache', 'The local copy could not be used.', { advice: message, retryable: false })
  }
}
