/** What a list call requested and received: counts of items, and offsets. */
export interface PageAnswer {
  limit: number
  offset: number
  received: number
  returnedOffset: number
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
  if (!Number.isSafeInteger(returnedOffset) || returnedOffset <= offset) return { end: 'stuck', offset: null }
  return { end: null, offset: returnedOffset }
}
