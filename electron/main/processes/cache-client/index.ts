import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, type Outcome, succeed } from '@contract'
import {
  type CacheOp,
  type CacheOutput,
  cacheReplies,
  type CacheReply,
  cacheReplySchema,
  type Opened,
  unorderedOps,
} from '@contract/cache'
import { accountIdentity } from '../../environments/model/service-identity'
import { JsonText } from '../answers/json-text'
import { createCrashes } from './crashes'
import { changed, ended, failureOf, newer, removed } from './failures'
import type {
  Cache,
  CacheOptions,
  CacheProcess,
  CacheReader,
  Inputs,
  OpenCacheOp,
  ServiceTarget,
} from './types'
import { fileNameOf, storedIn } from './cache-files'
import { createVisitKeys } from './visit-keys'

export { tooLargeText } from './failures'
export type { Cache, CacheNotice, CacheOptions, CacheProcess } from './types'

interface Waiting {
  settle: (outcome: Outcome<JsonText<never>>) => void
  environmentId: string
  op: CacheOp
  /** Its time limit; null while the process works on an earlier request. */
  timer: NodeJS.Timeout | null
}

interface Child {
  process: CacheProcess
  waiting: Map<number, Waiting>
  opened: Map<string, Opening>
}

/** A cache that is open or being opened. */
interface Opening {
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

/** How long after a file was opened it is checked, in milliseconds, if it wasn't closed properly. */
const checkAfterMs = 15_000

/** Work on a whole file may take longer. */
const longWork: readonly CacheOp[] = ['open', 'check', 'bulk', 'clean-up']
const longTimeLimitMs = 10 * 60_000

/**
 * What depends on the file alone, so that the file is at fault if it takes too long. Anything else may take long
 * because of what the service answered, and a file that was left in the middle of it is checked when it is opened
 * again.
 */
const onlyOfFile: readonly CacheOp[] = ['open', 'check']

/** How often a request is repeated because the environment was edited meanwhile. */
const maxEdits = 5

/**
 * The client of the cache process. The process starts with the first request, and again with the next request after it
 * crashed or hung. Caches are opened when they are needed.
 */
export function createCache(options: CacheOptions): Cache {
  const { fork, keys, exists, target, folder, notice, timeLimitMs = 30_000, startsAMinute = 6 } = options
  const salt = randomBytes(32).toString('hex')
  const crashes = createCrashes()
  const visitKeys = createVisitKeys(keys)
  /** The service that each cache was last opened for. */
  const services = new Map<string, string>()
  const storage = new Map<string, 'disk' | 'memory'>()
  /** Caches in memory, because the keychain didn't answer. */
  const lockedOut = new Set<string>()
  const openings = new Map<string, number>()
  let child: Child | null = null
  /** By a monotonic clock. */
  let starts: number[] = []
  let nextId = 1
  let closed = false

  const fileOf = (environmentId: string): string => join(folder, fileNameOf(environmentId))

  function countOpening(environmentId: string): void {
    openings.set(environmentId, (openings.get(environmentId) ?? 0) + 1)
  }

  function start(): Child | null {
    if (child) return child
    const now = performance.now()
    starts = starts.filter((at) => now - at < 60_000)
    if (closed || starts.length >= startsAMinute) return null
    starts.push(now)
    const started: Child = { process: fork(), waiting: new Map(), opened: new Map() }
    child = started
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

  /** The request that the process works on. It is the first one, but for those that let others go before them. */
  function underWay({ waiting }: Child): Waiting | undefined {
    const requests = [...waiting.values()]
    return requests.find(({ op }) => !unorderedOps.includes(op)) ?? requests[0]
  }

  /** Starts the time limit of the request that the process works on. Those behind it have none yet. */
  function time(of: Child): void {
    const request = underWay(of)
    if (child !== of || !request || request.timer) return
    request.timer = setTimeout(
      () => {
        request.timer = null
        // One that others don't wait for may have begun while there was no other.
        if (underWay(of) !== request) return
        if (onlyOfFile.includes(request.op)) blame(of)
        of.process.kill()
        drop(of)
      },
      longWork.includes(request.op) ? longTimeLimitMs : timeLimitMs,
    )
  }

  /** Notes the cache whose request the process was working on. */
  function blame(of: Child): void {
    const first = underWay(of)
    if (first && storage.get(first.environmentId) !== 'memory') crashes.note(fileOf(first.environmentId))
  }

  function drop(dropped: Child): void {
    if (child === dropped) child = null
    for (const { settle } of [...dropped.waiting.values()]) settle(fail(ended))
  }

  function receive(from: Child, reply: CacheReply): void {
    const waiting = from.waiting.get(reply.id)
    if (!waiting) return
    const { environmentId } = waiting
    if (reply.ok) {
      if (reply.damagedRows) notice({ environmentId, kind: 'damaged-rows', count: reply.damagedRows })
      waiting.settle(succeed(new JsonText(reply.text)))
      return
    }
    if (reply.setAside) {
      countOpening(environmentId)
      notice({ environmentId, kind: 'set-aside', setAside: reply.setAside })
    } else if (reply.code === 'damaged' || reply.code === 'not-open') from.opened.delete(environmentId)
    if (reply.code === 'disk-full' || reply.code === 'too-large') notice({ environmentId, kind: reply.code })
    waiting.settle(fail(failureOf(reply)))
  }

  function send<Op extends CacheOp>(
    to: Child,
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
  ): Promise<Outcome<JsonText<CacheOutput<Op>>>> {
    // It may have ended while the key was requested.
    if (child !== to) return Promise.resolve(fail(ended))
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

  async function open(
    to: Child,
    environmentId: string,
    where: Promise<Outcome<ServiceTarget>>,
    byVisit: boolean,
  ): Promise<Outcome<null>> {
    const file = fileOf(environmentId)
    const keyFor = byVisit ? visitKeys.keyFor : keys.keyFor
    const [key, place] = await Promise.all([keyFor(environmentId, existsSync(file)), where])
    // Removed meanwhile: opening would create its file again.
    if (!exists(environmentId)) return fail(removed)
    if (byVisit && !key.ok) return key
    if (byVisit && !place.ok) return place
    if (!key.ok || !place.ok) {
      lockedOut.add(environmentId)
      return openInMemory(to, environmentId, key.ok ? place : key, place)
    }
    const opened = await send(to, environmentId, 'open', {
      file,
      key: key.value,
      service: accountIdentity(place.value, key.value),
      setAside: crashes.tooMany(file),
    })
    if (!opened.ok && opened.failure === newer && !byVisit) {
      return openInMemory(to, environmentId, opened, place)
    }
    if (!opened.ok) return opened
    visitKeys.remember(environmentId, key.value)
    lockedOut.delete(environmentId)
    if (storage.get(environmentId) === 'memory') notice({ environmentId, kind: 'on-disk-again' })
    storage.set(environmentId, 'disk')
    const { setAside, uncleanlyClosed, otherService } = noteOpened(environmentId, opened.value.text, place)
    if (setAside?.reason === 'crashes') crashes.forget(file)
    if (setAside) notice({ environmentId, kind: 'set-aside', setAside })
    if (uncleanlyClosed && !otherService) {
      // Closing it would hide from the next opening that it has to be checked.
      const opening = to.opened.get(environmentId)
      if (opening) opening.stays = true
      setTimeout(() => void check(to, environmentId), checkAfterMs).unref()
    }
    return succeed(null)
  }

  /** Notes that a cache was opened, and reports if it had to be replaced because of another service. */
  function noteOpened(environmentId: string, reply: string, place: Outcome<ServiceTarget>): Opened {
    const opened = cacheReplies.open.parse(JSON.parse(reply))
    countOpening(environmentId)
    const before = services.get(environmentId)
    if (place.ok) services.set(environmentId, serviceOf(place.value))
    const now = services.get(environmentId)
    if (opened.otherService || (before !== undefined && before !== now)) {
      notice({ environmentId, kind: 'other-service' })
    }
    return opened
  }

  async function check(of: Child, environmentId: string): Promise<void> {
    if (child !== of) return
    const checked = parsed('check', await send(of, environmentId, 'check', {}))
    const damagedRows = checked.ok ? checked.value.damagedRows : 0
    if (damagedRows > 0) notice({ environmentId, kind: 'damaged-rows', count: damagedRows })
  }

  async function openInMemory(
    to: Child,
    environmentId: string,
    reason: Outcome<unknown>,
    place: Outcome<ServiceTarget>,
  ): Promise<Outcome<null>> {
    if (!reason.ok && storage.get(environmentId) !== 'memory') {
      notice({ environmentId, kind: 'memory-only', reason: reason.failure })
    }
    storage.set(environmentId, 'memory')
    const key = randomBytes(32).toString('hex')
    const service = place.ok ? serviceOf(place.value) : 'unknown'
    const opened = await send(to, environmentId, 'open', { file: null, key, service, setAside: false })
    if (!opened.ok) return opened
    noteOpened(environmentId, opened.value.text, place)
    return succeed(null)
  }

  const serviceOf = (place: ServiceTarget): string => accountIdentity(place, salt)

  async function service(environmentId: string, mayAsk: boolean): Promise<Outcome<string>> {
    return named(await target(environmentId, mayAsk))
  }

  const named = (place: Outcome<ServiceTarget>): Outcome<string> =>
    place.ok ? succeed(serviceOf(place.value)) : place

  /** The cache of an environment, opened for the service that the environment leads to. */
  async function opened(to: Child, environmentId: string, byVisit: boolean): Promise<Opening> {
    const before = to.opened.get(environmentId)
    if (before) {
      const [then, now] = await Promise.all([before.service, service(environmentId, false)])
      const current = to.opened.get(environmentId)
      // If it isn't known where it leads, nobody has edited it.
      if (current === before && (!now.ok || (then.ok && then.value === now.value))) {
        return taken(before, byVisit)
      }
      if (current !== before && current !== undefined) return taken(current, byVisit)
    }
    const where = target(environmentId, true)
    const done = open(to, environmentId, where, byVisit)
    const opening = { service: where.then(named), done, byVisit, visits: 0, stays: false }
    to.opened.set(environmentId, opening)
    return taken(opening, byVisit)
  }

  function taken(opening: Opening, byVisit: boolean): Opening {
    if (byVisit) opening.visits += 1
    else opening.stays = true
    return opening
  }

  /** Ends a visit, and closes the cache if the visit opened it and nobody else has used it. */
  function leave(of: Child, environmentId: string, opening: Opening): void {
    opening.visits -= 1
    if (opening.visits > 0 || opening.stays || of.opened.get(environmentId) !== opening) return
    of.opened.delete(environmentId)
    void send(of, environmentId, 'close', {})
  }

  async function askText<Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from?: string,
  ): Promise<Outcome<JsonText<CacheOutput<Op>>>> {
    for (let edits = 0; edits < maxEdits; edits += 1) {
      if (!exists(environmentId)) return fail(removed)
      const to = start()
      if (!to) return fail(ended)
      const opening = await opened(to, environmentId, false)
      const [belongs, done] = await Promise.all([opening.service, opening.done])
      if (!done.ok) {
        if (to.opened.get(environmentId) === opening) to.opened.delete(environmentId)
        if (opening.byVisit) continue
        return done
      }
      if (child !== to) return fail(ended)
      // From here to the request nothing is awaited: the process answers in order.
      if (to.opened.get(environmentId) !== opening) continue
      if (from !== undefined && !(belongs.ok && belongs.value === from)) return fail(changed)
      const outcome = await send(to, environmentId, op, input)
      if (from !== undefined) return outcome
      const now = await service(environmentId, false)
      if (!now.ok || !belongs.ok || now.value === belongs.value) return outcome
    }
    return fail(changed)
  }

  async function visit<Value>(
    environmentId: string,
    read: (reader: CacheReader) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value | null>> {
    for (let edits = 0; edits < maxEdits; edits += 1) {
      if (!exists(environmentId)) return fail(removed)
      if (!child?.opened.has(environmentId) && !existsSync(fileOf(environmentId))) return succeed(null)
      const to = start()
      if (!to) return fail(ended)
      const opening = await opened(to, environmentId, true)
      try {
        const outcome = await readOpened(to, environmentId, opening, read)
        if (outcome) return outcome
      } finally {
        leave(to, environmentId, opening)
      }
    }
    return fail(changed)
  }

  /** Reads a cache that is being opened; null if its environment was edited meanwhile, so that it may be another's. */
  async function readOpened<Value>(
    to: Child,
    environmentId: string,
    opening: Opening,
    read: (reader: CacheReader) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value> | null> {
    const [belongs, done] = await Promise.all([opening.service, opening.done])
    if (!done.ok) {
      if (to.opened.get(environmentId) === opening) to.opened.delete(environmentId)
      return done
    }
    const isCurrent = (): boolean => to.opened.get(environmentId) === opening
    const askText: CacheReader['askText'] = async (op, input) =>
      isCurrent() ? send(to, environmentId, op, input) : fail(changed)
    const outcome = await read({
      askText,
      ask: async (op, input) => parsed(op, await askText(op, input)),
    })
    if (child !== to) return fail(ended)
    const now = await service(environmentId, false)
    if (!exists(environmentId)) return fail(removed)
    // A damaged cache that couldn't be created again is closed, too.
    if (!isCurrent()) return outcome.ok || outcome.failure === changed ? null : outcome
    return !now.ok || !belongs.ok || now.value === belongs.value ? outcome : null
  }

  return {
    service: (environmentId) => service(environmentId, true),
    serviceOf,

    askText,

    ask: async (environmentId, op, input, from) => parsed(op, await askText(environmentId, op, input, from)),

    visit,

    storage: (environmentId) => storage.get(environmentId) ?? null,

    opening: (environmentId) => openings.get(environmentId) ?? 0,

    stored: () => storedIn(folder),

    async reopen() {
      for (const environmentId of [...lockedOut]) {
        const key = await keys.keyFor(environmentId, existsSync(fileOf(environmentId)))
        if (key.ok) child?.opened.delete(environmentId)
      }
    },

    async remove(environmentId) {
      storage.delete(environmentId)
      lockedOut.delete(environmentId)
      services.delete(environmentId)
      visitKeys.forget(environmentId)
      crashes.forget(fileOf(environmentId))
      const to = start()
      if (to) {
        to.opened.delete(environmentId)
        await send(to, environmentId, 'remove', { file: fileOf(environmentId) })
      }
      await keys.forget(environmentId)
    },

    async close() {
      closed = true
      const last = child
      if (!last) return
      const closing = [...last.opened.keys()].map((id) => send(last, id, 'close', {}))
      await Promise.race([Promise.all(closing), new Promise((resolve) => setTimeout(resolve, 1000))])
      last.process.kill()
      drop(last)
    },
  }
}

/** Reads a reply of the process. A reply that doesn't follow the protocol counts as none. */
function parsed<Op extends CacheOp>(
  op: Op,
  reply: Outcome<JsonText<CacheOutput<Op>>>,
): Outcome<CacheOutput<Op>> {
  if (!reply.ok) return reply
  const value = cacheReplies[op].safeParse(JSON.parse(reply.value.text))
  return value.success ? succeed(value.data as CacheOutput<Op>) : fail(ended)
}
