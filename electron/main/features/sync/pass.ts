import type { WrittenItem, WrittenPage } from '@contract/cache'
import { readTime } from '@contract/core/time'
import { OrderEvidence } from '@contract/deployment-api/list'
import type { PageReader } from './reader'

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
export interface PassResult {
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
export interface Foreknowledge {
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
export class Pass {
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
