import type { WrittenItem, WrittenPage } from '@contract/cache'
import { readTime } from '@contract/core/time'
import { OrderEvidence } from '@contract/deployment-api/list/list-order'
import type { PageReader } from './page-reader'

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

/** The state of a pass, to continue it after a restart. */
export interface PassState {
  /** The offset after the last covered item, or the next one to follow. */
  boundary: number
  /** Whether the pass is a chain, or follows offsets. */
  chained: boolean
  /** Whether the service sent short pages before the end. */
  shortPages: boolean
  /** Identifier and version of the last covered items. */
  anchors: [string, string][]
  covered: number
  fresh: number
  unexplained: number
  changed: number
  order: string[]
}

/** The result of a pass. */
export interface PassResult {
  /** Whether the pages form a chain without a gap from the beginning of the list to its end. */
  chained: boolean
  /** The apparent order of the list. */
  order: ReturnType<OrderEvidence['kind']>
  /** How many deployments it has covered, also before it was interrupted. */
  count: number
  /** The identifiers in the order they were covered; after an interruption, only the last of those before it. */
  covered: Map<string, string>
  /** Deployments that the cache didn't have. */
  fresh: number
  /** Those of them that were created before the previous pass ended, but weren't found by it. */
  unexplained: number
  /** Deployments whose content differs from the cache's. */
  changed: number
  /** The latest creation time that the run has seen, in milliseconds; null if none was readable. */
  newestCreated: number | null
  /** Whether the service sent short pages before the end, in this pass or an earlier one. */
  shortPages: boolean
}

/** What a pass knows about those before it. */
export interface Foreknowledge {
  /** The creation time (milliseconds) up to which deployments should have been found; null in the first pass. */
  newestCreated: number | null
  /** Whether the service sent short pages before the end. */
  shortPages: boolean
}

/** How many of the last covered items are saved for a restart. */
const savedAnchors = 300

/** How many answers confirm the end. More if a service sends short pages before the end. */
const confirmations = { default: 5, afterShortPages: 10 } as const

/** How many pages in a row may have nothing new before the list counts as endless. */
const maxBarrenPages = { chain: 500, offsets: 50 } as const

/** How often one page may repeat for increasing offsets before the service counts as one that ignores offsets. */
const maxRepeats = 10

/** How many pages in a row may return an offset that doesn't count items before the chain is abandoned. */
const maxIrregular = 5

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
 * At the end, the beginning of the list is read again until it shows nothing new: in a list that is sorted by time of
 * change, changed deployments have moved there.
 */
export class Pass {
  private readonly covered: Map<string, string>
  private readonly evidence: OrderEvidence
  private boundary: number
  private fresh: number
  private unexplained: number
  private changed: number
  private chained: boolean
  private shortPages: boolean
  private regular = 0
  private newest: number
  private readonly newestCreated: number | null
  private coveredBefore: number

  /** `saved` continues an interrupted pass; `progress` is called after each page. */
  constructor(
    private readonly reader: PageReader,
    private readonly options: PassOptions,
    before: Foreknowledge,
    private readonly progress: (pass: Pass) => Promise<void>,
    saved: PassState | null,
  ) {
    this.covered = new Map(saved?.anchors)
    this.newestCreated = before.newestCreated
    this.newest = before.newestCreated ?? Number.NEGATIVE_INFINITY
    this.evidence = new OrderEvidence(saved?.order)
    this.boundary = saved?.boundary ?? 0
    this.chained = saved?.chained ?? true
    this.shortPages = before.shortPages || (saved?.shortPages ?? false)
    this.fresh = saved?.fresh ?? 0
    this.unexplained = saved?.unexplained ?? 0
    this.changed = saved?.changed ?? 0
    this.coveredBefore = (saved?.covered ?? 0) - this.covered.size
  }

  /** How many deployments the pass has covered. */
  get count(): number {
    return Math.max(0, this.coveredBefore) + this.covered.size
  }

  /** The state to continue after a restart. */
  save(): PassState {
    return {
      boundary: this.boundary,
      chained: this.chained,
      shortPages: this.shortPages,
      anchors: [...this.covered].slice(-savedAnchors),
      covered: this.count,
      fresh: this.fresh,
      unexplained: this.unexplained,
      changed: this.changed,
      order: this.evidence.remaining(),
    }
  }

  async run(): Promise<PassResult> {
    if (this.chained && (this.boundary > 0 || (await this.offsetsArePositions()))) await this.followChain()
    else await this.followOffsets()
    if (this.chained) await this.readHead()
    const { chained, count, covered, fresh, unexplained, changed, shortPages } = this
    const newestCreated = Number.isFinite(this.newest) ? this.newest : null
    const order = this.evidence.kind()
    return { chained, count, covered, fresh, unexplained, changed, newestCreated, shortPages, order }
  }

  /** Whether the offset that the service returns counts items, so that any offset can be requested. */
  private async offsetsArePositions(): Promise<boolean> {
    const { limit } = this.options
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const page = await this.reader.read(0, limit)
      this.note(page.items)
      if (page.received === 0 || countsItems(page, 0, limit)) {
        this.cover(page.items)
        this.boundary = page.received
        return true
      }
    }
    return false
  }

  private async followChain(): Promise<void> {
    const { limit, overlap, maxItems } = this.options
    const step = limit - overlap
    let back = 0
    let restarts = 0
    let barren = 0
    let repeats = 0
    let irregular = 0
    let lastPlace = ''
    let ends = 0
    let beyond = false
    let last: WrittenPage | null = null
    let lastWasShort = this.boundary < limit
    while (this.covered.size < maxItems) {
      const ordinary = last ? overlapOf(last, limit, overlap) : overlap
      const from: number = beyond ? this.boundary : Math.max(0, this.boundary - (back || ordinary))
      this.guess(from, step)
      const page = await this.reader.read(from, limit)
      const before = this.covered.size
      const lone: WrittenPage | null = beyond && last?.received === 1 && page.received > 0 ? last : null
      const joined =
        from === 0 ||
        page.items.some(({ id, version }) => this.covered.get(id) === version) ||
        (lone !== null && (await this.isStillAt(from - 1, lone)))
      // Whatever was covered before an interruption is covered again.
      if (from === 0) this.coveredBefore = 0
      const exact = this.isExact(page, from)
      this.note(page.items)
      irregular = page.received === 0 || countsItems(page, from, limit) ? 0 : irregular + 1
      if (irregular > maxIrregular) return this.giveUpChain()

      if (page.received === 0 && (beyond || from === 0)) {
        // The page that it follows shows the end too.
        ends += beyond ? 2 : 1
        // If a list had entries and is now empty from its beginning, more confirmations are needed.
        const needed = !beyond && before > 0 ? confirmations.afterShortPages : this.neededEnds()
        if (ends >= needed) return
        beyond = false
        continue
      }
      if (!joined) {
        // Starts with the last covered deployment: pages may be too short to have both it and the ones after it.
        const reach = last && last.received < limit ? Math.max(2, last.received) : limit
        back = beyond && last && last.received > 1 ? 1 : Math.max(back * 2, reach)
        beyond = false
        ends = 0
        this.regular = 0
        if (back >= this.boundary) restarts += 1
        if (restarts > maxRestarts) return this.giveUpChain()
        continue
      }
      this.cover(page.items)
      const found = this.covered.size - before
      barren = found > 0 ? 0 : barren + 1
      const place = page.items.map(({ id }) => id).join()
      repeats = found === 0 && page.received === limit && place === lastPlace ? repeats + 1 : 0
      lastPlace = place
      if (barren > maxBarrenPages.chain || repeats > maxRepeats) return this.giveUpChain()
      if (found > 0) {
        this.shortPages ||= lastWasShort
        ends = 0
      }
      lastWasShort = page.received < limit
      this.regular = exact ? this.regular + 1 : 0
      back = 0
      const end = from + page.received
      beyond = found === 0 && page.received < limit
      last = page
      // Only one deployment fits on a page, so the page after it is read next.
      if (beyond) this.reader.expect([], limit)
      this.boundary = end
      await this.progress(this)
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

  private neededEnds(): number {
    return this.shortPages ? confirmations.afterShortPages : confirmations.default
  }

  private giveUpChain(): Promise<void> {
    this.coveredBefore = 0
    this.boundary = 0
    return this.followOffsets()
  }

  /** Whether a page is full, counts items and begins with exactly the items that the chain ends with. */
  private isExact(page: WrittenPage, from: number): boolean {
    if (page.received < this.options.limit || page.returnedOffset !== from + page.received) return false
    const known = page.items.findIndex(({ id }) => !this.covered.has(id))
    return known === this.boundary - from || (known === -1 && from < this.boundary)
  }

  /** Prefetches while the offsets are regular. */
  private guess(from: number, step: number): void {
    const count = this.regular >= 2 ? this.options.inFlight : 1
    const offsets = Array.from({ length: count }, (_, index) => from + index * step)
    this.reader.expect(offsets, this.options.limit)
  }

  /** Follows the offsets that the service returns without interpreting them. Gaps can't be detected then. */
  private async followOffsets(): Promise<void> {
    this.chained = false
    let offset = this.boundary
    let barren = 0
    let idle = 0
    while (idle < 3 && barren <= maxBarrenPages.offsets && this.covered.size < this.options.maxItems) {
      this.reader.expect([offset], this.options.limit)
      const page = await this.reader.read(offset, this.options.limit)
      const before = this.covered.size
      this.note(page.items)
      this.cover(page.items)
      barren = this.covered.size > before ? 0 : barren + 1
      idle = page.received > 0 && page.returnedOffset > offset ? 0 : idle + 1
      offset = Math.max(offset, page.returnedOffset)
      this.boundary = offset
      await this.progress(this)
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

/**
 * Whether the offset that came with a page counts items. An offset that doesn't advance marks the end, and contradicts
 * nothing.
 */
function countsItems({ received, returnedOffset }: WrittenPage, from: number, limit: number): boolean {
  return returnedOffset === from + received || returnedOffset === from + limit || returnedOffset <= from
}
