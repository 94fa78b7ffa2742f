import type { ReadNamed } from '@contract'

/** Of a page: what tells its entries apart, in order, and the offset that came with it. */
type Page = Pick<ReadNamed, 'keys' | 'returnedOffset'>

/**
 * Goes through the pages of a list so that it is known whether anything was overlooked: each page is asked for from the
 * last entry of the one before, and has to begin with it. A list that changed in between, or pages that are not what was
 * asked for, show by that; then the rest is read as far as it goes, and the list is not complete.
 *
 * The interface shows no end signal, and a service may give fewer entries at once than it is asked for, now more and now
 * less, with whatever offset. So the end is an empty page, after a single entry as well, or one with nothing but the entry
 * that it has to begin with; where an offset further on came, that page has to be empty, too. With that, what the list
 * had all the while is in its pages, as long as the service gives at least two entries at once and keeps their order.
 */
export class JoinedPages {
  /** Where the next page begins; null at the end. */
  offset: number | null = 0
  /** The entry that the next page has to begin with; null where none has to. */
  joint: string | null = null
  /** Whether the list is known to be read whole. */
  complete = false
  #isWhole = true
  /** The most entries that a page had. */
  #most = 0
  /** The furthest offset that came. */
  #furthest = 0
  readonly #known = new Set<string>()

  /** Takes the page that was asked for at `offset`. */
  take({ keys, returnedOffset }: Page): void {
    const begin = this.offset ?? 0
    const isEmpty = keys.length === 0
    this.#isWhole &&= this.joint === null ? isEmpty || this.#most === 0 : keys[0] === this.joint
    const hasNew = keys.some((key) => !this.#known.has(key))
    for (const key of keys) this.#known.add(key)
    if (Number.isSafeInteger(returnedOffset)) this.#furthest = Math.max(this.#furthest, returnedOffset)
    const isLast = isEmpty || (this.joint !== null && keys.length === 1)
    this.#most = Math.max(this.#most, keys.length)
    const end = begin + keys.length
    const isOverlapping = this.#isWhole && !isLast && this.#most > 1
    // Pages that repeat others would never end.
    const isEnd = isEmpty || (this.#isWhole ? isLast && this.#furthest <= end : !hasNew)
    this.joint = isOverlapping ? (keys.at(-1) ?? null) : null
    this.offset = isOverlapping ? end - 1 : isEnd ? null : Math.max(end, this.#furthest)
    this.complete = isEnd && this.#isWhole
  }
}
