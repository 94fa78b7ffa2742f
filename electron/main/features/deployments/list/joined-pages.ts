import type { ReadNamed } from '@contract'

/** What is needed from a page: keys that identify its entries, in order, and the offset that it returned. */
type Page = Pick<ReadNamed, 'keys' | 'returnedOffset'>

/**
 * Walks through the pages of a list and detects missed entries (decision 0021): each page must begin with the last
 * entry before.
 */
export class JoinedPages {
  /** Where the next page begins; null at the end. */
  offset: number | null = 0
  /** The entry that the next page must begin with; null if any will do. */
  joint: string | null = null
  /** Whether the whole list is known to have been read. */
  complete = false
  /** Whether no entry was missed so far. */
  isWhole = true
  /** The largest number of entries on a page. */
  #largest = 0
  /** The furthest offset that a page returned. */
  #furthest = 0
  readonly #known = new Set<string>()

  /** Adds the page that was requested at `offset`. */
  take({ keys, returnedOffset }: Page): void {
    const begin = this.offset ?? 0
    const hasNew = keys.some((key) => !this.#known.has(key))
    this.isWhole &&= this.joint === null ? !hasNew || this.#largest === 0 : keys[0] === this.joint
    for (const key of keys) this.#known.add(key)
    if (Number.isSafeInteger(returnedOffset)) this.#furthest = Math.max(this.#furthest, returnedOffset ?? 0)
    this.#largest = Math.max(this.#largest, keys.length)
    const end = begin + keys.length
    const isOverlapping = this.isWhole && hasNew && this.#largest > 1
    // An offset that goes on is followed once. A page that brings nothing new ends the list, whatever its length.
    const isEnd = !hasNew && (!this.isWhole || this.joint === null || this.#furthest <= end)
    this.joint = isOverlapping ? (keys.at(-1) ?? null) : null
    this.offset = isOverlapping ? end - 1 : isEnd ? null : Math.max(end, this.#furthest)
    this.complete = isEnd && this.isWhole
  }
}
