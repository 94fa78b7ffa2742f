/** Limits of the list's paging (interface: Limits). */
export const pageLimits = { min: 1, max: 100, default: 20 } as const

/** How many rows the window's list asks for at once, until the operator chooses. */
export const defaultPageSize = 50

/**
 * Limits for a service's answer. Everything that reads answers stops at them.
 *
 * A service should answer the request. But nothing stops it, or whatever answers in its place, from sending anything
 * else.
 */
export const answerLimits = {
  /** The largest answer, in bytes as unpacked. */
  bytes: 32 * 1024 * 1024,
  /** The largest answer that is written to the cache on its way. Passing a larger one on would block the window. */
  storedBytes: 4 * 1024 * 1024,
  /** Values in one answer, counting each text, number, list and object. They decide how much memory parsing takes. */
  values: 2_000_000,
  /** Levels of lists and objects: far more than the interface has, far fewer than the stack holds. */
  levels: 1_000,
  /** How many times the requested number of items a page may have. */
  timesLimit: 10,
  /** Unreadable items in one list. Reading stops at the next one. */
  unreadable: 100,
  /** How many findings about one item are reported, and their length in characters. */
  findings: 3,
  reasonLength: 300,
  /** Repositories in one listing, which has no pages. The rest is left out, and the screen says so. */
  repositories: 10_000,
  /**
   * Characters of an identifier. A longer one makes its item unreadable: if it were cut, it would identify something
   * else.
   */
  identifierLength: 500,
  /** Characters of any other text in a list; the rest is cut. The deployment's own screen shows the whole text. */
  summaryTextLength: 500,
  /** Characters of a repository's text. A longer one is left out: if it were cut, it would be another address. */
  repositoryTextLength: 2_000,
  /** Characters of all texts in a listing of repositories together. */
  repositoriesLength: 4_000_000,
  /** How much of one deployment is shown. The rest is cut, and the screen says so. */
  detail: { values: 10_000, levels: 32, length: 500_000, textLength: 100_000 },
  /** Values of a deployment that is compared with an attempt at its name. */
  comparedValues: 5_000,
} as const

/** How many statuses a list can be filtered by at once: the interface has five, and services may have more. */
export const maxStatuses = 50

/** How many items a page with this limit may have. Small pages may have as many as ordinary ones. */
export function maxItems(limit: number): number {
  return Math.max(limit * answerLimits.timesLimit, pageLimits.max)
}

/** A text of a list, cut at its limit, with a mark where it was cut. */
export function shortText<Text extends string | null>(text: Text): Text | string {
  return text === null ? text : cutText(text, answerLimits.summaryTextLength)
}

/** The beginning of a text, with a mark where it was cut. Never cuts a character in half. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length)}…`
}

/** Splits a comma-separated list of identifiers (`tag_value_ids`, `deployment_ids`) and drops blank ones. */
export function splitIds(text: string | null | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** What a list call requested and received: counts of items, and offsets. */
export interface PageAnswer {
  limit: number
  offset: number
  received: number
  /** Null if it couldn't be read. */
  returnedOffset: number | null
}

/** Why a list has no further page. */
export type PageEnd = 'short' | 'empty' | 'stuck'

/** The offset of the next page, or why there is none. */
export type NextPage = { end: null; offset: number } | { end: PageEnd; offset: null }

/**
 * Finds the next page. The interface has no end signal, so a list ends at an empty page, at a page with fewer items
 * than requested, or at an offset that doesn't advance or isn't a whole number. This rules out an endless loop.
 */
export function nextPage({ limit, offset, received, returnedOffset }: PageAnswer): NextPage {
  if (received === 0) return { end: 'empty', offset: null }
  if (received < limit) return { end: 'short', offset: null }
  if (!Number.isSafeInteger(returnedOffset) || returnedOffset === null || returnedOffset <= offset)
    return { end: 'stuck', offset: null }
  return { end: null, offset: returnedOffset }
}

/** The most characters of identifiers in one request: every network takes a URL of that length. */
const maxCharacters = 4_000

/**
 * Identifiers in batches, each as long as one request takes. An identifier with a comma can't be requested and is left
 * out.
 */
export function idBatches(ids: readonly string[]): string[][] {
  const batches: string[][] = []
  let length = 0
  for (const id of ids.filter((one) => !one.includes(','))) {
    const last = batches.at(-1)
    length += id.length + 1
    if (last && last.length < pageLimits.max && length <= maxCharacters) last.push(id)
    else {
      batches.push([id])
      length = id.length + 1
    }
  }
  return batches
}
