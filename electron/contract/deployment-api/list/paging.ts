/** What a list call asked for and what came back: counts of items and offsets. */
export interface PageAnswer {
  limit: number
  offset: number
  received: number
  returnedOffset: number
}

/** Why a list has no further page. */
type PageEnd = 'short' | 'empty' | 'stuck'

/** The offset of the next page, or why there is none. */
export type NextPage = { end: null; offset: number } | { end: PageEnd; offset: null }

/**
 * Tells where the next page begins. The interface shows no end signal, so a list ends at an empty page, at a
 * page with fewer items than asked for, or at an offset that does not advance or is no whole number, which could
 * not be asked for: never an endless loop.
 */
export function nextPage({ limit, offset, received, returnedOffset }: PageAnswer): NextPage {
  if (received === 0) return { end: 'empty', offset: null }
  if (received < limit) return { end: 'short', offset: null }
  if (!Number.isSafeInteger(returnedOffset) || returnedOffset <= offset) return { end: 'stuck', offset: null }
  return { end: null, offset: returnedOffset }
}
