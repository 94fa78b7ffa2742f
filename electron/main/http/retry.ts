import type { ExchangeEnd } from './exchange/result'
import { readRetryAfter } from './failures'
import { explainNetworkError } from './failures/network-errors'

/** How often, and after which waits (milliseconds), a GET is sent again. */
export const retries = { most: 2, firstWaitMs: 300, longestWaitMs: 3000, longestAskedWaitMs: 10_000 } as const

const passingStatuses = [429, 502, 503, 504]

/**
 * How long to wait before a GET is sent again, in milliseconds; null when it is not. The wait is exponential with
 * full jitter, and at least as long as the service asked for; one that asks for more than 10 s is not waited for.
 * A time limit that has passed is not tried again: the user has waited long enough.
 */
export function waitBeforeRetry(end: ExchangeEnd, retriesSoFar: number, random = Math.random): number | null {
  if (retriesSoFar >= retries.most) return null
  const jitter = random() * Math.min(retries.longestWaitMs, retries.firstWaitMs * 2 ** retriesSoFar)
  if (end.kind === 'network') return explainNetworkError(end.error).passing ? jitter : null
  if (end.kind !== 'answer' || !passingStatuses.includes(end.status)) return null
  const askedMs = (readRetryAfter(end.retryAfter) ?? 0) * 1000
  if (askedMs > retries.longestAskedWaitMs) return null
  return askedMs + jitter
}
