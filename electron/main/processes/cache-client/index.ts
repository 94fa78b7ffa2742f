import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, type Failure, failure, type Outcome, succeed } from '@contract'
import {
  answerWriteOps,
  type CacheOp,
  type CacheOutput,
  type CacheReply,
  type CacheRequest,
  largestCache,
  type Opened,
} from '@contract/cache'
import { accountIdentity } from '../../environments/identity'
import { JsonText } from '../answers'
import type {
  Cache,
  CacheNotice,
  CacheOptions,
  CacheReader,
  Inputs,
  OpenCacheOp,
  ServiceTarget,
} from './types'
import type { RunningStore } from '../store-process'

export type { Cache, CacheNotice, CacheOptions } from './types'
/** Requests whose failure leaves out something that the cache or its history would have: also what they commit late. */
const writes: readonly CacheOp[] = [
  ...answerWriteOps,
  ...(['mark-gone', 'synchronised', 'bulk', 'write-note', 'clean-up', 'keep-history'] as const),
]

/** How often a request is repeated because the environment was edited meanwhile. */
const maxEdits = 5

/** How long visits don't ask the keychain after it failed, in milliseconds: each call may ask for a password. */
const askAgainAfterMs = 2_000

/** The keychain account for the key of an environment's cache. */
const accountOf = (environmentId: string): string => `cache-key-${environmentId}`

/** A cache that is open or being opened. */
interface Opening {
  /** The service that it belongs to; a failure if that isn't known, so that the cache is in memory. */
  service: Promise<Outcome<string>>
  done: Promise<Outcome<null>>
  /** Whether a visit began it: then it fails where other requests would go on in memory. */
  readonly byVisit: boolean
  /** Whether it stays open when a visit ends: others use it. */
  stays: boolean
}

/** A process, and the caches that are open in it. */
interface RunningProcess {
  store: RunningStore
  opened: Map<string, Opening>
}

/** The client of the caches. They are opened when they are needed, again after their process has ended. */
export function createCache(options: CacheOptions): Cache {
  const { process, keys, exists, target, folder } = options
  /** The keys of this session: the keychain is asked once for each. */
  const known = new Map<string, string>()
  let refused: { outcome: Outcome<string>; at: number } | null = null
  /** The service that each cache was last opened for. */
  const services = new Map<string, string>()
  const storage = new Map<string, 'disk' | 'memory'>()
  /** Caches in memory, because the keychain didn't answer. */
  const lockedOut = new Set<string>()
  const openings = new Map<string, number>()
  /**
   * Caches of which a notice says that they aren't written, and not yet that they are again. Not those that are too
   * large: a write that still fits doesn't mean that the next one will.
   */
  const unwritten = new Set<string>()
  const processes = new WeakMap<RunningStore, RunningProcess>()
  const current = (): RunningProcess | null => withOpened(process.current())
  const start = (): RunningProcess | null => withOpened(process.start())

  function withOpened(store: RunningStore | null): RunningProcess | null {
    if (!store) return null
    const running = processes.get(store) ?? { store, opened: new Map<string, Opening>() }
    processes.set(store, running)
    return running
  }

  async function send<Op extends CacheOp>(
    to: RunningProcess,
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
  ): Promise<Outcome<JsonText<CacheOutput<Op>>>> {
    const reply = await process.send(to.store, { ...input, op, environmentId } as CacheRequest)
    if (!reply) return fail(ended)
    replied(to, { environmentId, op }, reply)
    return reply.ok ? succeed(new JsonText(reply.text)) : fail(failureOf(reply))
  }

  const fileOf = (environmentId: string): string => join(folder, `${encodeURIComponent(environmentId)}.db`)

  function notice(told: CacheNotice): void {
    if (told.kind === 'unwritten' && told.reason !== 'too-large') unwritten.add(told.environmentId)
    else if (['unwritten', 'written-again', 'other-service'].includes(told.kind)) {
      unwritten.delete(told.environmentId)
    }
    options.notice(told)
  }

  function countOpening(environmentId: string): void {
    openings.set(environmentId, (openings.get(environmentId) ?? 0) + 1)
  }

  /** Notices what a reply says about a cache beside what was requested. */
  function replied(
    from: RunningProcess,
    { environmentId, op }: { environmentId: string; op: CacheOp },
    reply: CacheReply,
  ): void {
    if (reply.ok) {
      if (reply.written && unwritten.has(environmentId)) notice({ environmentId, kind: 'written-again' })
      return
    }
    if (reply.setAside) {
      countOpening(environmentId)
      notice({ environmentId, kind: 'set-aside', setAside: reply.setAside })
    } else if (['damaged', 'not-open'].includes(reply.code)) {
      // What wasn't committed is lost.
      countOpening(environmentId)
      from.opened.delete(environmentId)
    }
    if (reply.code === 'disk-full' || reply.code === 'too-large') {
      notice({ environmentId, kind: 'unwritten', reason: reply.code })
    } else if (reply.code === 'internal' && writes.includes(op)) {
      notice({ environmentId, kind: 'unwritten', reason: 'other' })
    }
  }

  /** The key of an environment's cache. A visit doesn't ask the keychain right after it failed. */
  async function keyFor(environmentId: string, byVisit: boolean): Promise<Outcome<string>> {
    const key = known.get(environmentId)
    if (key !== undefined) return succeed(key)
    if (byVisit && refused && performance.now() - refused.at < askAgainAfterMs) return refused.outcome
    const stored = existsSync(fileOf(environmentId))
    const outcome = await keys.keyFor(accountOf(environmentId), { stored })
    if (outcome.ok) known.set(environmentId, outcome.value)
    refused = outcome.ok ? null : { outcome, at: performance.now() }
    return outcome
  }

  async function open(
    to: RunningProcess,
    environmentId: string,
    where: Promise<Outcome<ServiceTarget>>,
    byVisit: boolean,
  ): Promise<Outcome<null>> {
    const file = fileOf(environmentId)
    const [key, place] = await Promise.all([keyFor(environmentId, byVisit), where])
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
      service: accountIdentity(place.value),
    })
    if (!opened.ok) return opened
    lockedOut.delete(environmentId)
    if (storage.get(environmentId) === 'memory') notice({ environmentId, kind: 'on-disk-again' })
    storage.set(environmentId, 'disk')
    const { setAside } = noteOpened(environmentId, opened.value.text, place)
    if (setAside) notice({ environmentId, kind: 'set-aside', setAside })
    return succeed(null)
  }

  /** Notes that a cache was opened, and reports if it had to be replaced because of another service. */
  function noteOpened(environmentId: string, reply: string, place: Outcome<ServiceTarget>): Opened {
    const opened = JSON.parse(reply) as Opened
    countOpening(environmentId)
    const before = services.get(environmentId)
    if (place.ok) services.set(environmentId, accountIdentity(place.value))
    const now = services.get(environmentId)
    if (opened.otherService || (before !== undefined && before !== now)) {
      notice({ environmentId, kind: 'other-service' })
    }
    return opened
  }

  async function openInMemory(
    to: RunningProcess,
    environmentId: string,
    reason: Outcome<unknown>,
    place: Outcome<ServiceTarget>,
  ): Promise<Outcome<null>> {
    if (!reason.ok && storage.get(environmentId) !== 'memory') {
      notice({ environmentId, kind: 'memory-only', reason: reason.failure })
    }
    storage.set(environmentId, 'memory')
    const key = randomBytes(32).toString('hex')
    const service = place.ok ? accountIdentity(place.value) : 'unknown'
    const opened = await send(to, environmentId, 'open', { file: null, key, service })
    if (!opened.ok) return opened
    noteOpened(environmentId, opened.value.text, place)
    return succeed(null)
  }

  async function service(environmentId: string, mayAsk: boolean): Promise<Outcome<string>> {
    return named(await target(environmentId, mayAsk))
  }

  const named = (place: Outcome<ServiceTarget>): Outcome<string> =>
    place.ok ? succeed(accountIdentity(place.value)) : place

  /** The cache of an environment, opened for the service that the environment leads to. */
  async function opened(to: RunningProcess, environmentId: string, byVisit: boolean): Promise<Opening> {
    const before = to.opened.get(environmentId)
    if (before) {
      const [then, now] = await Promise.all([before.service, service(environmentId, false)])
      const current = to.opened.get(environmentId)
      // If it isn't known where it leads, nobody has edited it.
      const leadsThere = !now.ok || (then.ok && then.value === now.value)
      if (current && (current !== before || leadsThere)) return taken(current, byVisit)
    }
    const where = target(environmentId, true)
    const done = open(to, environmentId, where, byVisit)
    const opening = { service: where.then(named), done, byVisit, stays: false }
    to.opened.set(environmentId, opening)
    return taken(opening, byVisit)
  }

  function taken(opening: Opening, byVisit: boolean): Opening {
    opening.stays ||= !byVisit
    return opening
  }

  async function request<Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from: string | undefined,
    byVisit: boolean,
  ): Promise<Outcome<JsonText<CacheOutput<Op>>>> {
    for (let edits = 0; edits < maxEdits; edits += 1) {
      if (!exists(environmentId)) return fail(removed)
      const to = start()
      if (!to) return fail(ended)
      const opening = await opened(to, environmentId, byVisit)
      const [belongs, done] = await Promise.all([opening.service, opening.done])
      if (!done.ok) {
        if (to.opened.get(environmentId) === opening) to.opened.delete(environmentId)
        if (opening.byVisit && !byVisit) continue
        return done
      }
      if (current() !== to) return fail(ended)
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

  const askText: Cache['askText'] = (environmentId, op, input, from) =>
    request(environmentId, op, input, from, false)

  async function visit<Value>(
    environmentId: string,
    read: (reader: CacheReader) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value | null>> {
    for (let edits = 0; edits < maxEdits; edits += 1) {
      if (!exists(environmentId)) return fail(removed)
      if (!current()?.opened.has(environmentId) && !existsSync(fileOf(environmentId))) return succeed(null)
      const from = await service(environmentId, true)
      if (!from.ok) return from
      const readText: CacheReader['askText'] = (op, input) =>
        request(environmentId, op, input, from.value, true)
      const outcome = await read({
        askText: readText,
        ask: async (op, input) => parsed(await readText(op, input)),
      })
      closeUnused(environmentId)
      if (!exists(environmentId)) return fail(removed)
      const now = await service(environmentId, false)
      const isEdited = now.ok && now.value !== from.value
      if (!isEdited && (outcome.ok || outcome.failure !== changed)) return outcome
    }
    return fail(changed)
  }

  /** Closes a cache that was only opened for a visit. Another visit opens it again. */
  function closeUnused(environmentId: string): void {
    const of = current()
    const opening = of?.opened.get(environmentId)
    if (!of || !opening || opening.stays) return
    of.opened.delete(environmentId)
    void send(of, environmentId, 'close', {})
  }

  return {
    service: (environmentId) => service(environmentId, true),
    serviceOf: accountIdentity,

    askText,

    ask: async (environmentId, op, input, from) => parsed(await askText(environmentId, op, input, from)),

    visit,

    storage: (environmentId) => storage.get(environmentId) ?? null,

    opening: (environmentId) => openings.get(environmentId) ?? 0,

    async reopen() {
      for (const environmentId of [...lockedOut]) {
        const key = await keyFor(environmentId, false)
        if (key.ok) current()?.opened.delete(environmentId)
      }
    },

    async remove(environmentId) {
      storage.delete(environmentId)
      lockedOut.delete(environmentId)
      services.delete(environmentId)
      unwritten.delete(environmentId)
      known.delete(environmentId)
      const to = start()
      if (to) {
        to.opened.delete(environmentId)
        await send(to, environmentId, 'remove', { file: fileOf(environmentId) })
      }
      await keys.forget(accountOf(environmentId))
    },

    async close() {
      process.stop()
      const last = current()
      if (!last) return
      const closing = [...last.opened.keys()].map((id) => send(last, id, 'close', {}))
      await Promise.race([Promise.all(closing), new Promise((resolve) => setTimeout(resolve, 1000))])
      process.end(last.store)
    },
  }
}

const parsed = <Value>(reply: Outcome<JsonText<Value>>): Outcome<Value> =>
  reply.ok ? succeed(JSON.parse(reply.value.text) as Value) : reply

const ended = failure('cache', 'The cache process stopped.', {
  advice: 'It restarts automatically. Nothing at the service is affected.',
  retryable: true,
})

const changed = failure('environment-changed', 'The environment now points to another service.', {
  advice: "Answers of the earlier service aren't kept. Try again.",
  retryable: true,
})

const removed = failure('not-found', 'This environment no longer exists.')

/** Shown when a cache has reached its limit. */
export const tooLargeText = `The cache has reached its limit of ${largestCache.gigabytes} GB, or ${largestCache.gigabytesInMemory} GB for all caches in memory`

/** The failure of a reply from the cache process. */
function failureOf({ code, message }: Extract<CacheReply, { ok: false }>): Failure {
  switch (code) {
    case 'disk-full':
      return failure('disk-full', "The cache couldn't be written: the disk is full or refuses writes.", {
        advice:
          'Free up disk space, or check the disk. Nothing at the service is affected, and the cache can still be read.',
      })
    case 'damaged':
      return failure('cache', 'The cache was damaged. It was set aside and a new one was created.', {
        advice: 'Sync to fill the new one. Nothing at the service is affected.',
        retryable: true,
      })
    case 'too-large':
      return failure('cache', `${tooLargeText}.`, {
        advice: 'Nothing at the service is affected, and the cache can still be read.',
      })
    case 'unreadable-answer':
      return failure('unreadable-answer', "The answer isn't in the expected format.")
    case 'not-open':
    case 'internal':
      return failure('cache', "The cache couldn't be used.", { advice: message, retryable: false })
  }
}
