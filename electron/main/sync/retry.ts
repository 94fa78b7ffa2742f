import { failure, fail, type Failure, type Outcome } from '@contract'
import type { Clock, FetchedPage, SyncPorts } from './types'

/** How calls of the service are repeated. */
export interface RetryPolicy {
  /** How often one call is made before the synchronisation fails. */
  attempts: number
  /** The wait before the second attempt; it doubles from one to the next. */
  firstWaitMs: number
  longestWaitMs: number
  /** After how long a call that neither answers nor fails is given up. */
  stallMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 6,
  firstWaitMs: 500,
  longestWaitMs: 60_000,
  stallMs: 60_000,
}

/** A synchronisation that cannot go on, and why. */
export class Stopped extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

/** The copy was opened or begun anew while a synchronisation wrote into it. */
export class CacheReplaced extends Error {}

/** Gives the value of an outcome, or ends the synchronisation. */
export function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Stopped(outcome.failure)
  return outcome.value
}

/** Ends the synchronisation when it was cancelled. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped(failure('cancelled', 'The synchronisation was cancelled.'))
}

/** Makes a call that is given up after `stallMs`, and when `controller` aborts it. Never rejects. */
export async function limited(
  call: (signal: AbortSignal) => Promise<Outcome<FetchedPage>>,
  clock: Clock,
  stallMs: number,
  controller: AbortController,
): Promise<Outcome<FetchedPage>> {
  const waiting = new AbortController()
  const stalled = clock
    .sleep(stallMs, waiting.signal)
    .then(() => fail(failure('timeout', 'The service did not answer in time.', { retryable: true })))
  const cancelled = new Promise<Outcome<FetchedPage>>((resolve) => {
    const giveUp = (): void => resolve(fail(failure('cancelled', 'The synchronisation was cancelled.')))
    if (controller.signal.aborted) giveUp()
    else controller.signal.addEventListener('abort', giveUp)
  })
  try {
    return await Promise.race([call(controller.signal), stalled, cancelled])
  } finally {
    waiting.abort()
    controller.abort()
  }
}

/**
 * Repeats `attempt` while it fails in a way that may pass, with waits that double, a jitter, and the service's own
 * wish how long to wait. Throws `Stopped` when it is in vain or cancelled.
 */
export async function withRetries<T>(
  attempt: () => Promise<Outcome<T>>,
  { clock, random }: SyncPorts,
  retryPolicy: RetryPolicy,
  signal: AbortSignal,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    throwIfAborted(signal)
    const outcome = await attempt()
    if (outcome.ok) return outcome.value
    throwIfAborted(signal)
    const { failure } = outcome
    const passing = failure.retryable || failure.code === 'unreadable-answer'
    if (!passing || count >= retryPolicy.attempts) throw new Stopped(failure)
    const wait = retryPolicy.firstWaitMs * 2 ** (count - 1) * (0.5 + random())
    const asked = (failure.retryAfterSeconds ?? 0) * 1000
    await clock.sleep(Math.min(Math.max(wait, asked), retryPolicy.longestWaitMs), signal)
  }
}
