import {
  type Outcome,
  failure,
  type Failure,
  fail,
  deploymentsPath,
  type ListQuery,
  succeed,
  toSearchParams,
} from '@contract'
import { digestOf, type Span, type Unseen, type WrittenItem, type WrittenPage } from '../../../cache/protocol'
import { raceCancellation, withRetries, sleep, startSpan } from '../../async'
import type { Cache } from '../../processes/cache-client'
import type { Environments } from '../../environments'
import { accountIdentity } from '../../environments/known'
import type { HttpClient } from '../../http/client'

/** The unparsed body of an answer of List deployments, with the times when it was requested and complete. */
export interface FetchedPage {
  body: Uint8Array
  span: Span
}

/** The service, from a synchronisation's point of view. */
export interface SyncSource {
  /** List deployments with `offset` and `limit`. */
  fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<Outcome<FetchedPage>>
  /** List deployments with `deployment_ids`; at most as many identifiers as one page has items. */
  fetchByIds: (ids: string[], signal: AbortSignal) => Promise<Outcome<FetchedPage>>
}

/** The cache, from a synchronisation's point of view. An unreadable page fails with `unreadable-answer`. */
export interface SyncStore {
  /**
   * Counts how often the cache was opened or replaced. If it changes, what was written may be lost.
   */
  opening: () => number
  writePage: (page: FetchedPage, run: number) => Promise<Outcome<WrittenPage>>
  unseen: (run: number, after: number, limit: number) => Promise<Outcome<Unseen>>
  markGone: (ids: string[], span: Span) => Promise<Outcome<{ marked: number }>>
  bulk: (on: boolean) => Promise<Outcome<null>>
}

/** Time in milliseconds since 1970, and waiting. An aborted wait ends early, without an error. */
export interface Clock {
  now: () => number
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface SyncAdapters {
  source: SyncSource
  store: SyncStore
  clock: Clock
  /** A number from 0 up to, not including, 1: the jitter of waits. */
  random: () => number
}

/**
 * The wait before each further attempt, in milliseconds. Three attempts, as for a page that someone waits for. They
 * outlast a restart of the service: one soon, for a short failure, and one late. After a longer outage, the next run
 * starts over (`Schedule`).
 */
const waitsMs: readonly number[] = [1_000, 15_000]

/** The longest wait that the service may ask for. */
const longestWaitMs = 60_000

/** The end of a synchronisation that can't continue, with its reason. */
export class Stopped extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

/** Gives the value of an outcome. Throws `Stopped` for a failure. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Stopped(outcome.failure)
  return outcome.value
}

/** The failure of a synchronisation that was cancelled. */
const cancelled = failure('cancelled', 'The sync was cancelled.')

/** Throws `Stopped` if the synchronisation was cancelled. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped(cancelled)
}

/**
 * Repeats an attempt while its failure may pass. Waits with a jitter, and at least as long as the service asks for.
 * Throws `Stopped` after the last attempt and if the synchronisation is cancelled.
 */
async function untilItSucceeds<T>(
  attempt: () => Promise<Outcome<T>>,
  { clock, random }: SyncAdapters,
  signal: AbortSignal,
): Promise<T> {
  throwIfAborted(signal)
  const waitAfter = (outcome: Outcome<T>, retriesSoFar: number): number | null => {
    if (outcome.ok || signal.aborted) return null
    const { code, retryable, retryAfterSeconds } = outcome.failure
    const waitMs = waitsMs[retriesSoFar]
    if (waitMs === undefined || !(retryable || code === 'unreadable-answer')) return null
    return Math.min(Math.max(waitMs * (0.5 + random()), (retryAfterSeconds ?? 0) * 1000), longestWaitMs)
  }
  const outcome = await withRetries(attempt, waitAfter, signal, (ms) => clock.sleep(ms, signal))
  if (!outcome.ok) throwIfAborted(signal)
  return unwrap(outcome)
}

const tooMuch = failure('too-large', "The service's list of deployments is too large.", {
  advice: 'The sync was stopped. What it cached stays; use the live list.',
})

const replaced = failure('cache', 'The cache had to be opened again.', {
  advice: 'Nothing at the service is affected. Sync again. If it keeps happening, see the log.',
  retryable: true,
})

/** A page that is fetched ahead. */
interface Ahead {
  controller: AbortController
  /** Writes it, once it is there. Gives the same for every call. */
  write: () => Promise<Outcome<WrittenPage>>
}

/**
 * Fetches pages and writes them. It can prefetch the pages that are probably needed next; the first of them is also
 * written, so that the cache doesn't wait for it. A wrong guess only costs a request.
 */
export class PageReader {
  private readonly ahead = new Map<number, Ahead>()
  private readonly opening: number
  private bytesLeft = 0
  /** What was new or changed in pages that were written and not read yet, by identifier. Some never are. */
  private readonly news = new Map<string, WrittenItem['was']>()
  /** How many deployments the cache didn't have, and how many differed from it. */
  readonly found = { added: 0, changed: 0 }

  constructor(
    private readonly adapters: SyncAdapters,
    private readonly run: number,
    private readonly signal: AbortSignal,
  ) {
    this.opening = adapters.store.opening()
  }

  /** How many bytes of answers may still arrive before the synchronisation ends. */
  allowBytes(bytes: number): void {
    this.bytesLeft = bytes
  }

  /** Drops prefetched pages. */
  close(): void {
    this.expect([], 0)
  }

  /** Throws `Stopped` if the cache is no longer the one that the reader began with. */
  stopIfReplaced(): void {
    if (this.adapters.store.opening() !== this.opening) throw new Stopped(replaced)
  }

  /** Prefetches the pages at these offsets, and drops others that were prefetched. */
  expect(offsets: number[], limit: number): void {
    for (const [offset, { controller }] of this.ahead) {
      if (offsets.includes(offset)) continue
      controller.abort()
      this.ahead.delete(offset)
    }
    for (const offset of offsets) {
      if (!this.ahead.has(offset)) this.ahead.set(offset, this.fetchAhead(offset, limit))
    }
  }

  /** Fetches the page at an offset, repeatedly if needed, and writes it. */
  read(offset: number, limit: number): Promise<WrittenPage> {
    return this.withRetries(() => {
      const page = this.ahead.get(offset) ?? this.fetchAhead(offset, limit)
      this.ahead.delete(offset)
      const written = page.write()
      const [next] = this.ahead.values()
      void next?.write()
      return written
    })
  }

  /** Fetches deployments by their identifiers and writes them. */
  readByIds(ids: string[]): Promise<WrittenPage> {
    const fetch = (signal: AbortSignal): Promise<Outcome<FetchedPage>> =>
      this.adapters.source.fetchByIds(ids, signal)
    return this.withRetries(() => this.write(this.request(fetch)))
  }

  private async withRetries(attempt: () => Promise<Outcome<WrittenPage>>): Promise<WrittenPage> {
    const written = await untilItSucceeds(attempt, this.adapters, this.signal)
    this.stopIfReplaced()
    return { ...written, items: written.items.map((item) => this.asFound(item)) }
  }

  /** An item as this run found it, even if a page that wasn't read has shown it before. */
  private asFound(item: WrittenItem): WrittenItem {
    const was = this.news.get(item.id)
    if (was === undefined || item.was === 'older') return item
    this.news.delete(item.id)
    return { ...item, was }
  }

  private async write(page: Promise<Outcome<FetchedPage>>): Promise<Outcome<WrittenPage>> {
    const fetched = await page
    if (!fetched.ok) return fetched
    this.bytesLeft -= fetched.value.body.length
    if (this.bytesLeft < 0) return fail(tooMuch)
    const written = await this.adapters.store.writePage(fetched.value, this.run)
    for (const { id, was } of written.ok ? written.value.items : []) {
      if (was === 'new') this.found.added += 1
      if (was === 'changed') this.found.changed += 1
      if (was === 'new' || (was === 'changed' && !this.news.has(id))) this.news.set(id, was)
    }
    return written
  }

  private fetchAhead(offset: number, limit: number): Ahead {
    const controller = new AbortController()
    const page = this.request((signal) => this.adapters.source.fetchPage(offset, limit, signal), controller)
    let written: Promise<Outcome<WrittenPage>> | null = null
    return { controller, write: () => (written ??= this.write(page)) }
  }

  /** Makes a request, until the synchronisation is cancelled or `controller` aborts. */
  private async request(
    send: (signal: AbortSignal) => Promise<Outcome<FetchedPage>>,
    controller = new AbortController(),
  ): Promise<Outcome<FetchedPage>> {
    const signal = AbortSignal.any([this.signal, controller.signal])
    return (await raceCancellation(send(signal), signal)) ?? fail(cancelled)
  }
}

/** How many identifiers are requested at a time: they must fit into a URL. */
const idsAtATime = 40

/**
 * Requests the cached deployments that the run hasn't seen, by `deployment_ids`, and marks those as gone that the
 * service doesn't have: an answer lacks all of them, and another one shows that the service finds deployments by their
 * identifiers. Stops at a service whose answers prove nothing. Gives how many were marked.
 *
 * @param seen deployments that were just seen
 */
export async function confirmDeletions(
  { store, clock }: SyncAdapters,
  reader: PageReader,
  run: number,
  seen: string[],
): Promise<number> {
  let gone = 0
  for (let after: number | null = 0; after !== null;) {
    const unseen: Unseen = unwrap(await store.unseen(run, after, idsAtATime))
    after = unseen.after
    for (let missing = unseen.ids; missing.length > 0;) {
      const sentAt = clock.now()
      const { items, received } = await reader.readByIds(missing)
      const rest = missing.filter((id) => !items.some((item) => item.id === id))
      if (rest.length === missing.length) {
        if (received > 0 || !(await findsByIds(reader, seen))) return gone
        gone += unwrap(await store.markGone(missing, { sentAt, receivedAt: clock.now() })).marked
        break
      }
      // The others may not have fitted into the answer.
      missing = rest
    }
  }
  return gone
}

/** Whether the service answers with deployments that were requested, and no others. */
async function findsByIds(reader: PageReader, ids: string[]): Promise<boolean> {
  if (ids.length === 0) return true
  const { items } = await reader.readByIds(ids)
  return items.length > 0 && items.every(({ id }) => ids.includes(id))
}

/** The environment of a synchronisation, and the service that it led to at the start. */
export interface SyncPlace {
  environmentId: string
  /** As `Cache.service` names it. */
  service: string
}

const edited = failure('environment-changed', 'The environment now points to another service.')

/**
 * The service of an environment for a synchronisation (interface: List deployments). Fails with `environment-changed`
 * once the environment leads to another one.
 */
export function createSource(
  environments: Environments,
  http: HttpClient,
  { environmentId, service }: SyncPlace,
): SyncSource {
  async function list(query: ListQuery, signal: AbortSignal): Promise<Outcome<FetchedPage>> {
    const ready = await environments.ready(environmentId, signal)
    if (!ready.ok) return ready
    if (accountIdentity(ready.value.target) !== service) return fail(edited)
    const span = startSpan()
    const answer = await http.request({
      target: ready.value.target,
      method: 'GET',
      path: deploymentsPath,
      query: toSearchParams(query),
      // `PageReader` repeats it.
      once: true,
      signal,
    })
    if (!answer.ok) return answer
    return succeed({ body: answer.value.body, span: span() })
  }
  return {
    fetchPage: (offset, limit, signal) => list({ offset, limit }, signal),
    fetchByIds: (ids, signal) => list({ offset: 0, limit: 100, deployment_ids: ids.join(',') }, signal),
  }
}

/**
 * The cache of an environment for a synchronisation. Fails with `environment-changed` once it belongs to another
 * service.
 */
export function createStore(cache: Cache, { environmentId, service }: SyncPlace): SyncStore {
  // Whether the cache had all of the last page. Then it probably knows the next one too, which is long.
  let isKnown = false

  async function writePage({ body, span }: FetchedPage, run: number): Promise<Outcome<WrittenPage>> {
    if (isKnown) {
      const seen = await cache.ask(environmentId, 'see-page', { digest: digestOf(body), span, run }, service)
      if (!seen.ok) return seen
      if (seen.value) return succeed(seen.value)
    }
    const written = await cache.ask(environmentId, 'write-page', { body, span, run }, service)
    isKnown = written.ok && written.value.items.every(({ was }) => was === 'same')
    return written
  }

  return {
    opening: () => cache.opening(environmentId),
    writePage,
    unseen: (run, after, limit) => cache.ask(environmentId, 'unseen', { run, after, limit }, service),
    markGone: (ids, span) => cache.ask(environmentId, 'mark-gone', { ids, span }, service),
    bulk: (on) => cache.ask(environmentId, 'bulk', { on }, service),
  }
}

export const systemClock: Clock = { now: () => Date.now(), sleep }
