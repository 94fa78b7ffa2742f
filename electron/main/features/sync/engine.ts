import type { Failure } from '@contract'
import { largestCache, type WrittenItem, type WrittenPage } from '../../../cache/protocol'
import { readTime } from '@contract/core/time'
import { OrderEvidence } from '@domain/lists/order'
import { Stopped, throwIfAborted, unwrap, confirmDeletions, type SyncAdapters, PageReader } from './reader'

/** The progress of a synchronisation. */
export interface SyncProgress {
  /** Reading the list, or requesting what wasn't seen. */
  phase: 'reading' | 'confirming'
  /** The pass through the list, from 1. */
  pass: number
  /** How many deployments this pass has covered. */
  covered: number
}

/** The result of a synchronisation. */
export interface SyncResult {
  /**
   * `complete`: the cache has every deployment that existed throughout. `unsettled`: the service kept changing the
   * order of its list, so some may be missing.
   */
  end: 'complete' | 'unsettled' | 'cancelled' | 'failed'
  /** Why it failed. */
  failure: Failure | null
  /** Whether the last pass still found changes. The next synchronisation gets what changed after that. */
  moving: boolean
  passes: number
  /** The order of the list in the last pass; null before one was complete. */
  order: PassResult['order'] | null
  /** How many deployments the last pass covered. */
  covered: number
  /** How many were marked as gone. */
  gone: number
  /** How many the cache didn't have, and how many differed from it. */
  found: PageReader['found']
  /** Identifies the run in the cache. */
  run: number
}

/** Limits for the passes of one run. */
const maxPasses = { ordered: 3, disordered: 5 } as const

const defaultOptions: PassOptions = { limit: 100, overlap: 2, inFlight: 6, maxItems: 2_000_000 }

/** How many bytes the answers of one pass may have: twice the largest size of a cache. */
const maxBytesOfPass = 2 * largestCache.gigabytes * 1024 ** 3

/**
 * Brings the cache into agreement with the service. Reads the whole list as often as needed, requests further cached
 * deployments by `deployment_ids`, and marks as gone what the service no longer has. A run that can't be finished ends
 * as `failed`, `cancelled` or `unsettled`, never as `complete`; the next one starts over. What `complete` guarantees
 * depends on the order of the list: .github/decisions/0009-what-a-synchronisation-guarantees.md.
 *
 * Fails if the cache is reopened meanwhile. There are limits for the number of passes, for the pages, items and bytes
 * in each, and for the attempts of each call.
 *
 * @param signal ends the run as `cancelled`
 * @throws what `adapters` throw; their failures end the run as `failed`
 */
export async function synchronise(
  adapters: SyncAdapters,
  options: Partial<PassOptions>,
  signal: AbortSignal,
  onProgress: (progress: SyncProgress) => void,
): Promise<SyncResult> {
  const run = adapters.clock.now()
  const reader = new PageReader(adapters, run, signal)
  const result: SyncResult = {
    end: 'complete',
    failure: null,
    moving: false,
    order: null,
    passes: 0,
    covered: 0,
    gone: 0,
    found: reader.found,
    run,
  }
  try {
    unwrap(await adapters.store.bulk(true))
    await new Run(adapters, { ...defaultOptions, ...options }, reader, signal, onProgress, result).complete()
    reader.close()
    // Commits what the cache process has gathered.
    unwrap(await adapters.store.bulk(false))
    reader.stopIfReplaced()
  } catch (error) {
    reader.close()
    await adapters.store.bulk(false)
    if (!(error instanceof Stopped)) throw error
    const unwanted = error.failure.code === 'cancelled' || error.failure.code === 'environment-changed'
    result.end = unwanted ? 'cancelled' : 'failed'
    result.failure = unwanted ? null : error.failure
  }
  return result
}

/** The passes of one run, and the steps after them. */
class Run {
  private before: PassResult | null = null

  constructor(
    private readonly adapters: SyncAdapters,
    private readonly options: PassOptions,
    private readonly reader: PageReader,
    private readonly signal: AbortSignal,
    private readonly onProgress: (progress: SyncProgress) => void,
    private readonly result: SyncResult,
  ) {}

  async complete(): Promise<void> {
    const { result } = this
    for (let verdict = 'again'; verdict === 'again';) {
      const pass = await this.pass()
      result.passes += 1
      result.covered = pass.covered.size
      result.order = pass.order
      verdict = this.judge(pass)
      this.before = pass
      if (verdict === 'unsettled') result.end = 'unsettled'
      result.moving = pass.fresh + pass.changed > 0
    }
    this.report('confirming', result.covered)
    const seen = [...(this.before?.covered.keys() ?? [])].slice(0, 20)
    result.gone += await confirmDeletions(this.adapters, this.reader, result.run, seen)
    this.reader.stopIfReplaced()
  }

  private async pass(): Promise<PassResult> {
    this.reader.allowBytes(maxBytesOfPass)
    const known = {
      newestCreated: this.before?.newestCreated ?? null,
      count: this.before?.covered.size ?? null,
    }
    this.report('reading', 0)
    return await new Pass(this.reader, this.options, known, (covered) => {
      this.report('reading', covered)
      throwIfAborted(this.signal)
    }).run()
  }

  /** Whether the passes so far are enough; see the record in the comment of `synchronise`. */
  private judge(pass: PassResult): 'enough' | 'again' | 'unsettled' {
    const { before, result } = this
    const unchanged = pass.fresh + pass.changed === 0
    if (pass.chained && pass.order !== 'unknown') {
      return unchanged || result.passes >= maxPasses.ordered ? 'enough' : 'again'
    }
    const steady =
      pass.chained && before?.chained === true && agree(before.covered.keys(), pass.covered.keys())
    if (steady && pass.unexplained === 0 && (unchanged || result.passes >= maxPasses.ordered)) return 'enough'
    // Nothing shows a gap, but two passes have found the same.
    if (!pass.chained && unchanged && before) return pass.cut ? 'unsettled' : 'enough'
    return result.passes >= maxPasses.disordered ? 'unsettled' : 'again'
  }

  private report(phase: SyncProgress['phase'], covered: number): void {
    // However the run ends: a later pass sees the same deployments again.
    this.result.covered = Math.max(this.result.covered, covered)
    this.onProgress({ phase, pass: this.result.passes + 1, covered })
  }
}

/** Whether the items that two passes have in common came in the same order in both. */
function agree(one: Iterable<string>, other: Iterable<string>): boolean {
  const indexById = new Map<string, number>()
  let place = 0
  for (const id of one) indexById.set(id, place++)
  let last = -1
  for (const id of other) {
    const at = indexById.get(id)
    if (at === undefined) continue
    if (at < last) return false
    last = at
  }
  return true
}

/** How a pass reads. */
export interface PassOptions {
  /** Items on a page; 2 or more. */
  limit: number
  /** How many items of a page are requested again with the next one, to see that none is missing between them. */
  overlap: number
  /** How many pages may be fetched at the same time once the offsets have proved regular. */
  inFlight: number
  /** How many deployments a list may have. Without a limit, a service could keep a pass going forever. */
  maxItems: number
}

/** The result of a pass. */
interface PassResult {
  /** Whether the pages form a chain without a gap from the beginning of the list to its end. */
  chained: boolean
  /** Whether the list goes on, as far as its full last page shows, but can't be read on. */
  cut: boolean
  /** The apparent order of the list. */
  order: ReturnType<OrderEvidence['kind']>
  /** The versions by identifier, in the order in which they were covered. */
  covered: Map<string, string>
  /** Deployments that the cache didn't have. */
  fresh: number
  /** Those of them that were created before the previous pass ended, but weren't found by it. */
  unexplained: number
  /** Deployments whose content differs from the cache's. */
  changed: number
  /** The latest creation time that the run has seen, in milliseconds; null if none was readable. */
  newestCreated: number | null
}

/** What a pass knows about those before it. */
interface Foreknowledge {
  /** The creation time (milliseconds) up to which deployments should have been found; null in the first pass. */
  newestCreated: number | null
  /** How many deployments the list has; null if unknown. */
  count: number | null
}

/** How many pages in a row may bring nothing new before the chain is given up. */
const maxBarren = 20

/** How often the chain may start over from the beginning of the list. */
const maxRestarts = 3

/** How many full pages at the beginning are read again at the end of a pass. */
const maxHeadPages = 10

/**
 * One pass through the list.
 *
 * Its pages form a chain. Each is requested so that it overlaps the one before. It counts only if it shows at least one
 * deployment, unchanged, that the chain has already covered. Otherwise the pass steps back, further each time. As long
 * as no two deployments change places, everything before a covered deployment is covered. A page that shows a covered
 * one begins at or before the boundary, and covers everything up to its own end. That holds whatever was inserted and
 * removed meanwhile, and whether the page was short, repeated, late or unordered.
 *
 * A page that brings nothing new ends the list, whatever its length: some services answer an offset past the end with
 * their last page.
 *
 * At the end, the beginning of the list is read again until it shows nothing new: in a list that is sorted by time of
 * change, changed deployments have moved there.
 */
class Pass {
  private readonly covered = new Map<string, string>()
  private readonly evidence = new OrderEvidence()
  /** The offset after the last covered item, or the next one to follow. */
  private boundary = 0
  private fresh = 0
  private unexplained = 0
  private changed = 0
  private chained = true
  private cut = false
  private regular = 0
  private newest: number
  private readonly newestCreated: number | null
  private readonly knownCount: number | null

  /** `progress` is called after each page with how many deployments are covered. It throws to end the pass. */
  constructor(
    private readonly reader: PageReader,
    private readonly options: PassOptions,
    before: Foreknowledge,
    private readonly progress: (covered: number) => void,
  ) {
    this.newestCreated = before.newestCreated
    this.newest = before.newestCreated ?? Number.NEGATIVE_INFINITY
    this.knownCount = before.count
  }

  async run(): Promise<PassResult> {
    await this.followChain()
    if (this.chained) await this.readHead()
    const { chained, cut, covered, fresh, unexplained, changed } = this
    const newestCreated = Number.isFinite(this.newest) ? this.newest : null
    const order = this.evidence.kind()
    return { chained, cut, covered, fresh, unexplained, changed, newestCreated, order }
  }

  private async followChain(): Promise<void> {
    const { limit, overlap, maxItems } = this.options
    const step = limit - overlap
    let back = 0
    let restarts = 0
    let barren = 0
    let furthest = this.boundary
    let beyond = false
    let last: WrittenPage | null = null
    while (this.covered.size < maxItems) {
      const ordinary = last ? overlapOf(last, limit, overlap) : overlap
      const from: number = beyond ? this.boundary : Math.max(0, this.boundary - (back || ordinary))
      this.guess(from, step, last)
      const page = await this.reader.read(from, limit)
      const before = this.covered.size
      barren += 1
      if (page.received === 0 && (beyond || from === 0)) {
        // Where only one deployment fits on a page, one that moved forward meanwhile would be missed.
        const isEnd = !beyond || last?.received !== 1 || (await this.isStillAt(from - 1, last))
        if (isEnd || barren > maxBarren) return
        beyond = false
        continue
      }
      const lone: WrittenPage | null = beyond && last?.received === 1 ? last : null
      const joined =
        from === 0 ||
        page.items.some(({ id, version }) => this.covered.get(id) === version) ||
        (lone !== null && (await this.isStillAt(from - 1, lone)))
      const exact = this.isExact(page, from)
      this.note(page.items)
      if (!joined) {
        // The service's offsets count something else than items.
        if (last && !this.countsItems(last)) return this.giveUpChain()
        // Starts with the last covered deployment: pages may be too short to have both it and the ones after it.
        const reach = last && last.received < limit ? Math.max(2, last.received) : limit
        back = beyond && last && last.received > 1 ? 1 : Math.max(back * 2, reach)
        beyond = false
        this.regular = 0
        if (back >= this.boundary) restarts += 1
        if (restarts > maxRestarts || barren > maxBarren) return this.giveUpChain()
        continue
      }
      this.cover(page.items)
      const found = this.covered.size - before
      const end = from + page.received
      // After a step back, the pages up to the furthest one bring nothing new either.
      if (found === 0 && from > 0 && (beyond || page.received >= limit) && end > furthest) {
        // A full page that begins before the boundary should have had more: not every offset can be requested.
        return beyond ? undefined : this.giveUpChain()
      }
      barren = found > 0 ? 0 : barren
      this.regular = exact ? this.regular + 1 : 0
      back = 0
      beyond = found === 0
      last = page
      // Only one deployment fits on a page, so the page after it is read next.
      if (beyond) this.reader.expect([], limit)
      this.boundary = end
      furthest = Math.max(furthest, end)
      this.progress(this.covered.size)
    }
    this.chained = false
  }

  /**
   * Whether a page with only one item still has that item at its offset, so that the page that was read meanwhile
   * follows it. Needed for a service that gives no more than fits into an answer. (If an item before it is removed
   * before the request in between, and another is added after that request, neither is detected.)
   */
  private async isStillAt(offset: number, { items: [item] }: WrittenPage): Promise<boolean> {
    const { items, received } = await this.reader.read(offset, this.options.limit)
    this.note(items)
    return received === 1 && items[0]?.id === item?.id && items[0]?.version === item?.version
  }

  /**
   * Whether the offset that came with the last page is a position. One that is missing or doesn't advance marks the end,
   * and contradicts nothing.
   */
  private countsItems({ received, returnedOffset }: WrittenPage): boolean {
    const from = this.boundary - received
    return (
      returnedOffset === null ||
      returnedOffset <= from ||
      [from + received, from + this.options.limit].includes(returnedOffset)
    )
  }

  private giveUpChain(): Promise<void> {
    this.boundary = 0
    return this.followOffsets()
  }

  /** Whether a page is full, counts items and begins with exactly the items that the chain ends with. */
  private isExact(page: WrittenPage, from: number): boolean {
    if (page.received < this.options.limit || page.returnedOffset !== from + page.received) return false
    const known = page.items.findIndex(({ id }) => !this.covered.has(id))
    return known === this.boundary - from || (known === -1 && from < this.boundary)
  }

  /** Prefetches while the offsets are regular, up to the known end of the list. */
  private guess(from: number, step: number, last: WrittenPage | null): void {
    const isNearEnd = last !== null && last.received < this.options.limit
    const count = this.regular >= 2 && !isNearEnd ? this.options.inFlight : 1
    const offsets = Array.from({ length: count }, (_, index) => from + index * step)
    const known = offsets.filter((offset) => offset === from || offset < (this.knownCount ?? Infinity))
    this.reader.expect(known, this.options.limit)
  }

  /** Follows the offsets that the service returns without interpreting them. Gaps can't be detected then. */
  private async followOffsets(): Promise<void> {
    this.chained = false
    // What a chain has covered before it was given up doesn't end the list.
    const seen = new Set<string>()
    for (let offset = this.boundary; this.covered.size < this.options.maxItems;) {
      this.reader.expect([offset], this.options.limit)
      const { items, received, returnedOffset } = await this.reader.read(offset, this.options.limit)
      const before = seen.size
      for (const { id } of items) seen.add(id)
      this.note(items)
      this.cover(items)
      this.progress(this.covered.size)
      if (received === 0) return
      if (seen.size === before && offset > 0) {
        this.cut = received >= this.options.limit
        return
      }
      if (returnedOffset === null || returnedOffset <= offset) {
        this.cut = received >= this.options.limit
        return
      }
      offset = returnedOffset
      this.boundary = offset
    }
  }

  private async readHead(): Promise<void> {
    const { limit, overlap } = this.options
    const head = new Map<string, string>()
    for (let from = 0, read = 0; read < maxHeadPages * limit;) {
      const page = await this.reader.read(from, limit)
      this.note(page.items)
      const news = page.items.filter(({ id, version }) => this.covered.get(id) !== version)
      const unknown = news.filter(({ id, version }) => head.get(id) !== version)
      for (const { id, version } of unknown) head.set(id, version)
      if (unknown.length === 0) return
      read += page.received
      from += Math.max(1, page.received - overlapOf(page, limit, overlap))
    }
    // The beginning of the list changes faster than it can be read.
    this.chained = this.evidence.kind() === 'fixed'
  }

  private cover(items: WrittenItem[]): void {
    for (const { id, version, was } of items) {
      if (was !== 'older' || !this.covered.has(id)) this.covered.set(id, version)
    }
  }

  private note(items: WrittenItem[]): void {
    this.evidence.note(items)
    for (const { was, created_at } of items) {
      const created = readTime(created_at) ?? Number.NaN
      if (created > this.newest) this.newest = created
      if (was === 'changed') this.changed += 1
      if (was !== 'new') continue
      this.fresh += 1
      if (this.newestCreated === null || !(created > this.newestCreated)) this.unexplained += 1
    }
  }
}

/**
 * How many items of a page to request again with the next one; after a short page, few enough to leave room for others.
 */
const overlapOf = ({ received }: WrittenPage, limit: number, overlap: number): number =>
  received < limit ? Math.max(1, Math.min(overlap, Math.floor(received / 2))) : overlap
