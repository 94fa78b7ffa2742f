import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Failure, type Outcome, fail, failure, succeed } from '@contract'
import type { Observer } from '@contract/cache'
import {
  type CacheInput,
  type CacheOp,
  type SetAside,
  answerWriteOps,
  type CacheOutput,
  type CacheReply,
  type CacheRequest,
  largestCache,
  type Opened,
} from '../../cache/protocol'
import type { HttpAnswer, HttpRequest } from '../http/client'
import { raceTimeout } from '../async'
import { accountIdentity, type AccountTarget } from '../environments/known'
import { JsonText } from './answers'
import type { FileKeys } from './keychain'
import type { RunningStore, StoreProcess } from './store-process'

/** An HTTP client that writes the answers of the service into the cache, as each request says. */
export interface ServiceClient {
  request: (
    request: HttpRequest & {
      /** `by` is what looks, for the history. */
      cachedAs:
        | { op: 'write-page'; run: null; by: Observer }
        | { op: 'write-deployment' }
        | { op: 'write-repositories'; integrationId: string }
    },
  ) => Promise<Outcome<HttpAnswer>>
}

/** Something about a cache that the operator should know. */
export type CacheNotice = { environmentId: string } & (
  | { kind: 'set-aside'; setAside: SetAside }
  | { kind: 'memory-only'; reason: Failure }
  | { kind: 'on-disk-again' }
  | { kind: 'unwritten'; reason: 'disk-full' | 'too-large' | 'other' }
  | { kind: 'written-again' }
  | { kind: 'other-service' }
)

export type Inputs<Op extends CacheOp> = Omit<CacheInput<Op>, 'environmentId'>
/** The requests to an open cache. Opening and closing happen automatically. */
export type OpenCacheOp = Exclude<CacheOp, 'open' | 'close' | 'remove'>

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

interface CacheOptions {
  process: StoreProcess
  keys: FileKeys
  /** Whether an environment with this identifier exists: a removed one gets no cache. */
  exists: (environmentId: string) => boolean
  /**
   * Where an environment leads now. Fails if that isn't known, as with a locked keychain. Asks the keychain only with
   * `mayAsk`.
   */
  target: (environmentId: string, mayAsk: boolean) => Promise<Outcome<AccountTarget>>
  /** The folder of the files, one for each environment. */
  folder: string
  notice: (notice: CacheNotice) => void
}

/** A cache that is open or being opened. */
interface Opening {
  /** The service that it belongs to; a failure if that isn't known, so that the cache is in memory. */
  service: Promise<Outcome<string>>
  done: Promise<Outcome<null>>
}

export type Cache = ReturnType<typeof createCache>

/** Makes requests to one cache, while a visit lasts. */
export interface CacheReader {
  ask: <Op extends OpenCacheOp>(op: Op, input: Inputs<Op>) => Promise<Outcome<CacheOutput<Op>>>
}

/**
 * The caches of the environments, in a process of their own. They are opened when they are needed, again after the
 * process has ended. Every call may fail with `cache` or `disk-full`.
 *
 * A cache belongs to the service and the account of its content, as `accountIdentity` identifies them ("service"
 * below). What one account may see, or one proxy leads to, isn't shown to another. After an edit that leads an
 * environment to another service, its cache is replaced by a new one before any answer. Editing it back doesn't restore
 * the old one. Writes name the service that they are `from`, so that an answer or a synchronisation of the old service
 * never gets into the new cache.
 */
export function createCache(options: CacheOptions) {
  const { process, keys, exists, target, folder } = options
  /** The keys of this session: the keychain is asked once for each. */
  const known = new Map<string, string>()
  let refused: { outcome: Outcome<string>; at: number } | null = null
  /** The service that each cache was last opened for. */
  const services = new Map<string, string>()
  /** Where each cache is: in memory, while the keychain doesn't answer. */
  const storage = new Map<string, 'disk' | 'memory'>()
  const openings = new Map<string, number>()
  /**
   * Caches of which a notice says that they aren't written, and not yet that they are again. Not those that are too
   * large: a write that still fits doesn't mean that the next one will.
   */
  const unwritten = new Set<string>()
  const openedIn = new WeakMap<RunningStore, Map<string, Opening>>()

  /** The caches that are open in a process. */
  function openIn(store: RunningStore): Map<string, Opening> {
    const opened = openedIn.get(store) ?? new Map<string, Opening>()
    openedIn.set(store, opened)
    return opened
  }

  async function send<Op extends CacheOp>(
    to: RunningStore,
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
  ): Promise<Outcome<JsonText<CacheOutput<Op>>>> {
    const reply = await process.send(to, { ...input, op, environmentId } as CacheRequest)
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
    from: RunningStore,
    { environmentId, op }: { environmentId: string; op: CacheOp },
    reply: CacheReply,
  ): void {
    if (reply.ok) {
      if (writes.includes(op) && unwritten.has(environmentId))
        notice({ environmentId, kind: 'written-again' })
      return
    }
    if (reply.setAside) {
      countOpening(environmentId)
      notice({ environmentId, kind: 'set-aside', setAside: reply.setAside })
    } else if (['damaged', 'not-open'].includes(reply.code)) {
      // What wasn't committed is lost.
      countOpening(environmentId)
      openIn(from).delete(environmentId)
    }
    if (reply.code === 'disk-full' || reply.code === 'too-large') {
      notice({ environmentId, kind: 'unwritten', reason: reply.code })
    } else if (reply.code === 'internal' && writes.includes(op)) {
      notice({ environmentId, kind: 'unwritten', reason: 'other' })
    }
  }

  /** The key of an environment's cache. */
  async function keyFor(environmentId: string): Promise<Outcome<string>> {
    const key = known.get(environmentId)
    if (key !== undefined) return succeed(key)
    const stored = existsSync(fileOf(environmentId))
    const outcome = await keys.keyFor(accountOf(environmentId), { stored })
    if (outcome.ok) known.set(environmentId, outcome.value)
    refused = outcome.ok ? null : { outcome, at: performance.now() }
    return outcome
  }

  /** Opens a cache from its file, or in memory if there is no key, or it isn't known where the environment leads. */
  async function open(
    to: RunningStore,
    environmentId: string,
    where: Promise<Outcome<AccountTarget>>,
  ): Promise<Outcome<null>> {
    const [key, place] = await Promise.all([keyFor(environmentId), where])
    // Removed meanwhile: opening would create its file again.
    if (!exists(environmentId)) return fail(removed)
    const service = place.ok ? accountIdentity(place.value) : 'unknown'
    const onDisk = key.ok && place.ok
    const file = onDisk ? fileOf(environmentId) : null
    const opened = await send(to, environmentId, 'open', { file, key: onDisk ? key.value : '', service })
    if (!opened.ok) return opened
    const wasStored = storage.get(environmentId)
    storage.set(environmentId, onDisk ? 'disk' : 'memory')
    const reason = key.ok ? place : key
    if (!reason.ok && wasStored !== 'memory') {
      notice({ environmentId, kind: 'memory-only', reason: reason.failure })
    }
    if (onDisk && wasStored === 'memory') notice({ environmentId, kind: 'on-disk-again' })
    countOpening(environmentId)
    const { setAside, otherService } = JSON.parse(opened.value.text) as Opened
    const before = services.get(environmentId)
    if (place.ok) services.set(environmentId, service)
    if (otherService || (place.ok && before !== undefined && before !== service)) {
      notice({ environmentId, kind: 'other-service' })
    }
    if (setAside) notice({ environmentId, kind: 'set-aside', setAside })
    return succeed(null)
  }

  async function service(environmentId: string, mayAsk: boolean): Promise<Outcome<string>> {
    return named(await target(environmentId, mayAsk))
  }

  const named = (place: Outcome<AccountTarget>): Outcome<string> =>
    place.ok ? succeed(accountIdentity(place.value)) : place

  /** The cache of an environment, opened for the service that the environment leads to. */
  async function opened(to: RunningStore, environmentId: string): Promise<Opening> {
    const caches = openIn(to)
    const before = caches.get(environmentId)
    if (before) {
      const [then, now] = await Promise.all([before.service, service(environmentId, false)])
      const current = caches.get(environmentId)
      // If it isn't known where it leads, nobody has edited it.
      const leadsThere = !now.ok || (then.ok && then.value === now.value)
      if (current && (current !== before || leadsThere)) return current
    }
    const where = target(environmentId, true)
    const opening = { service: where.then(named), done: open(to, environmentId, where) }
    caches.set(environmentId, opening)
    return opening
  }

  /** Makes a request. Gives the text as the cache process wrote it. */
  async function askText<Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from?: string,
  ): Promise<Outcome<JsonText<CacheOutput<Op>>>> {
    for (let edits = 0; edits < maxEdits; edits += 1) {
      if (!exists(environmentId)) return fail(removed)
      const to = process.start()
      if (!to) return fail(ended)
      const caches = openIn(to)
      const opening = await opened(to, environmentId)
      const [belongs, done] = await Promise.all([opening.service, opening.done])
      if (!done.ok) {
        if (caches.get(environmentId) === opening) caches.delete(environmentId)
        return done
      }
      if (process.current() !== to) return fail(ended)
      // From here to the request nothing is awaited: the process answers in order.
      if (caches.get(environmentId) !== opening) continue
      if (from !== undefined && !(belongs.ok && belongs.value === from)) return fail(changed)
      const outcome = await send(to, environmentId, op, input)
      if (from !== undefined) return outcome
      const now = await service(environmentId, false)
      if (!now.ok || !belongs.ok || now.value === belongs.value) return outcome
    }
    return fail(changed)
  }

  /** Makes a request. Fails with `environment-changed` if the environment no longer leads to the service `from`. */
  async function ask<Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from?: string,
  ): Promise<Outcome<CacheOutput<Op>>> {
    return parsed(await askText(environmentId, op, input, from))
  }

  /**
   * Reads the cache of any environment. Gives null if nothing is stored. Creates neither a file, nor a cache in memory,
   * so it fails where `ask` would go on in memory: with the keychain's failures. `read` may run again, with the new
   * cache, if the environment is edited meanwhile. Fails with `not-found` if the environment is removed meanwhile.
   */
  async function visit<Value>(
    environmentId: string,
    read: (reader: CacheReader) => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value | null>> {
    for (let edits = 0; edits < maxEdits; edits += 1) {
      if (!exists(environmentId)) return fail(removed)
      const store = process.current()
      if (!store || !openIn(store).has(environmentId)) {
        if (!existsSync(fileOf(environmentId))) return succeed(null)
        const isRefused = refused && performance.now() - refused.at < askAgainAfterMs
        const key = isRefused ? refused!.outcome : await keyFor(environmentId)
        if (!key.ok) return key
      }
      const from = await service(environmentId, true)
      if (!from.ok) return from
      const outcome = await read({ ask: (op, input) => ask(environmentId, op, input, from.value) })
      if (!exists(environmentId)) return fail(removed)
      const now = await service(environmentId, false)
      const isEdited = now.ok && now.value !== from.value
      if (!isEdited && (outcome.ok || outcome.failure !== changed)) return outcome
    }
    return fail(changed)
  }

  return {
    ask,
    askText,
    visit,

    /** The identity of the service that an environment leads to, for `from`. It is valid in this session. */
    service: (environmentId: string): Promise<Outcome<string>> => service(environmentId, true),

    /** Where the cache of an environment is stored; null before it was opened. */
    storage: (environmentId: string): 'disk' | 'memory' | null => storage.get(environmentId) ?? null,

    /** How often the cache of an environment was opened, or replaced because it was damaged, in this session. */
    opening: (environmentId: string): number => openings.get(environmentId) ?? 0,

    /**
     * Call it when the keychain answers again. The next call opens caches from the disk that are in memory because of
     * it, if there is a key now.
     */
    async reopen(): Promise<void> {
      for (const [environmentId, where] of storage) {
        const key = where === 'memory' ? await keyFor(environmentId) : null
        const store = process.current()
        if (key?.ok && store) openIn(store).delete(environmentId)
      }
    },

    /** Removes the cache of an environment, its file and its key. */
    async remove(environmentId: string): Promise<void> {
      for (const about of [storage, services, unwritten, known]) about.delete(environmentId)
      const to = process.start()
      if (to) {
        openIn(to).delete(environmentId)
        await send(to, environmentId, 'remove', { file: fileOf(environmentId) })
      }
      await keys.forget(accountOf(environmentId))
    },

    /** Closes the caches, for a second at most, and ends the process. */
    async close(): Promise<void> {
      const last = process.stop()
      if (!last) return
      const closing = [...openIn(last).keys()].map((id) => send(last, id, 'close', {}))
      await raceTimeout(Promise.all(closing), 1_000)
      process.end(last)
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
export const tooLargeText = `The cache has reached its limit of ${largestCache.gigabytes} GB, or ${largestCache.gigabytesInMemory} GB in memory`

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
