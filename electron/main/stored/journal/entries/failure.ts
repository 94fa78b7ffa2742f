import { randomUUID } from 'node:crypto'
import type { Failure, StoredFailure } from '@contract'
import type { CalledPlace } from './types'

/** The entry of a call that failed just now. */
export function failureEntry(
  place: CalledPlace,
  action: string,
  startedAt: Date,
  reason: Failure,
): StoredFailure {
  return {
    id: randomUUID(),
    startedAt: startedAt.toISOString(),
    endedAt: new Date().toISOString(),
    ...place,
    kind: 'failure',
    action,
    failure: reason,
  }
}

/** How long the same failure isn't noted again, in milliseconds. */
const repeatedForMs = 60_000

/** The failures that were noted within the last minute, by a monotonic clock. */
export class RepeatedFailures {
  readonly #notedAt = new Map<string, number>()

  /** Whether the same failure was noted within a minute; if not, it counts as noted now. */
  isRepeated(place: CalledPlace, action: string, { code, message, serviceWords }: Failure): boolean {
    const now = performance.now()
    for (const [key, at] of this.#notedAt) if (now - at >= repeatedForMs) this.#notedAt.delete(key)
    const key = JSON.stringify([place.environmentId, place.account, action, code, message, serviceWords])
    if (this.#notedAt.has(key)) return true
    this.#notedAt.set(key, now)
    return false
  }
}
