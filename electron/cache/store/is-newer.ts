import type { Span } from '@contract/cache'
import { readTime } from '@contract/core/time'
import { clockWasSetMs } from '@domain/history/times'

/** The values that decide which of two contents of a deployment is newer. */
export interface Dated extends Span {
  updated_at: string | null
}

/**
 * Whether `incoming` replaces `stored`. If the service's own `updated_at` differs, it decides. Otherwise the answer to
 * the later request does, even if the two calls overlapped.
 */
export function isNewer(incoming: Dated, stored: Dated): boolean {
  if (isDatedAlike(incoming, stored)) return isLater(incoming, stored)
  return time(incoming.updated_at) > time(stored.updated_at)
}

/** Whether the service's own `updated_at` doesn't tell two contents apart. */
function isDatedAlike(one: Pick<Dated, 'updated_at'>, other: Pick<Dated, 'updated_at'>): boolean {
  const difference = time(one.updated_at) - time(other.updated_at)
  return difference === 0 || Number.isNaN(difference)
}

/** Whether an answer was requested later than another one, or the clock was set back since that one. */
export function isLater(answer: Span, other: Span): boolean {
  return other.receivedAt - answer.receivedAt > clockWasSetMs || answer.sentAt >= other.sentAt
}

const time = (text: string | null): number => readTime(text) ?? Number.NaN
