import { failure, type Failure, type Outcome } from '@contract'
import { withRetries } from '../../http/failures/retry'
import type { SyncAdapters } from './types'

/**
 * The wait before each further attempt, in milliseconds. Three attempts, as for a page that someone waits for. They
 * outlast a restart of the service: one soon, for a short failure, and one late. After a longer outage, the next run
 * starts over (`Schedule`).
 */
const waitsMs: readonly number[] = [1_000, 15_000]

/** The longest wait that the service may ask for. */
const longestWaitMs = 60_000

/** How long a request may take without an outcome. */
export const stallMs = 60_000

/** The end of a synchronisation that can't continue, with its reason. */
export class Stopped extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message)
  }
}

/** Gives the value of an outcome. Throws `Stopped` for a failure. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Stopped(outcome.failure)
  return outcome.value
}

/** The failure of a synchronisation that was cancelled. */
export const cancelled = failure('cancelled', 'The sync was cancelled.')

/** Throws `Stopped` if the synchronisation was cancelled. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped(cancelled)
}

/**
 * Repeats an attempt while its failure may pass. Waits with a jitter, and at least as long as the service asks for.
 * Throws `Stopped` after the last attempt and if the synchronisation is cancelled.
 */
export async function untilItSucceeds<T>(
  attempt: () => Promise<Outcome<T>>,
  { clock, random }: SyncAdapters,
  signal: AbortSignal,
): Promise<T> {
  throwIfAborted(signal)
  const waitAfter = (outcome: Outcome<T>, retriesSoFar: number): number | null => {
    if (outcome.ok || signal.aborted) return null
    const { code, retryable, retryAfterSeconds } = outcome.failure
    const waitMs = waitsMs[retriesSoFar]
    if (waitMs === undefined || !(retryable || code === 'unreadable-answer')) return null
    return Math.min(Math.max(waitMs * (0.5 + random()), (retryAfterSeconds ?? 0) * 1000), longestWaitMs)
  }
  const outcome = await withRetries(attempt, waitAfter, signal, (ms) => clock.sleep(ms, signal))
  if (!outcome.ok) throwIfAborted(signal)
  return unwrap(outcome)
}
