import type { Span } from '@contract/cache'

/** What decides which of two contents of one deployment is the newer. */
export interface Dated extends Span {
  updated_at: string | null
}

/** Answers to one question differ by minutes at most; a larger distance means that the clock was set. */
const clockWasSetMs = 10 * 60_000

/**
 * Whether `incoming` is to replace `stored`. The service's own `updated_at` decides where it differs; else the answer
 * that was sent for later, whether or not the two calls overlapped.
 */
export function isNewer(incoming: Dated, stored: Dated): boolean {
  const difference = time(incoming.updated_at) - time(stored.updated_at)
  if (difference !== 0 && !Number.isNaN(difference)) return difference > 0
  return isLater(incoming, stored)
}

/** Whether an answer was sent for later than another one, or the clock was set back since that one came. */
export function isLater(answer: Span, other: Span): boolean {
  return other.receivedAt - answer.receivedAt > clockWasSetMs || answer.sentAt >= other.sentAt
}

function time(text: string | null): number {
  return text === null ? Number.NaN : Date.parse(text)
}
