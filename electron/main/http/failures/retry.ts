import { sleep } from '../../async'
import type { ExchangeEnd } from '../exchange'
import { readRetryAfter } from '.'
import { explainNetworkError } from './network-errors'

/** How often, and after which waits (milliseconds), a GET is sent again. */
export const retries = {
  max: 2,
  firstWaitMs: 300,
  longestWaitMs: 3000,
  longestRequestedWaitMs: 10_000,
} as const

const passingStatuses = [429, 502, 503, 504]

/**
 * How long to wait before a GET is sent again, in milliseconds; null if it isn't. The wait is exponential with full
 * jitter, and at least as long as the service asks for. There is no retry if the service asks for more than 10 s, or
 * after a time limit: the operator has waited long enough.
 */
export function waitBeforeRetry(end: ExchangeEnd, retriesSoFar: number, random = Math.random): number | null {
  if (retriesSoFar >= retries.max) return null
  const jitter = random() * Math.min(retries.longestWaitMs, retries.firstWaitMs * 2 ** retriesSoFar)
  if (end.kind === 'network') return explainNetworkError(end.error).passing ? jitter : null
  if (end.kind !== 'answer' || !passingStatuses.includes(end.status)) return null
  const requestedMs = (readRetryAfter(end) ?? 0) * 1000
  if (requestedMs > retries.longestRequestedWaitMs) return null
  return requestedMs + jitter
}

/**
 * Repeats an attempt as long as `waitAfter` gives a wait for its result, in milliseconds. Gives the last result, also
 * if the signal aborts during a wait. Rejects if an attempt rejects.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  waitAfter: (result: T, retriesSoFar: number) => number | null,
  signal?: AbortSignal,
  wait: (ms: number) => Promise<void> = (ms) => sleep(ms, signal),
): Promise<T> {
  for (let retriesSoFar = 0; ; retriesSoFar += 1) {
    const result = await attempt()
    const ms = waitAfter(result, retriesSoFar)
    if (ms === null) return result
    await wait(ms)
    if (signal?.aborted) return result
  }
}
