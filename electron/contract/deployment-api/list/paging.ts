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

/** What is needed of a page to tell where its rows are. */
interface PageRows {
  received: number
  deployments: readonly { id: string }[]
  /** The places of those that can't be read. */
  unreadable: readonly { index: number }[]
}

/** The identifier of a page's first row; null if it has none, or one that can't be read. */
export function firstRow({ deployments, unreadable }: PageRows): string | null {
  return unreadable[0]?.index === 0 ? null : (deployments[0]?.id ?? null)
}

/** The place on a page of its last row that can be read; null if there is none. */
export function lastReadable({ received, unreadable }: PageRows): number | null {
  const others = new Set(unreadable.map(({ index }) => index))
  for (let index = received - 1; index >= 0; index -= 1) if (!others.has(index)) return index
  return null
}
