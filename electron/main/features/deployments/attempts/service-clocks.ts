import { randomUUID } from 'node:crypto'
import type { Outcome } from '@contract'
import { routeIdentity, serviceIdentity } from '../../../environments/model/service-identity'
import type { HttpAnswer, HttpTarget } from '../../../http/types'
import { watchWallClock } from './absence'
import { readDate } from './times'

/** The clocks of services, according to their answers in this run. */
export interface ServiceClocks {
  /** Reads the service's clock from the outcome of a request to a target. */
  note: (target: HttpTarget, outcome: Outcome<HttpAnswer>) => void
  /** The time by the clock of a target's service (ms since 1970); null if it isn't known. */
  now: (target: HttpTarget) => number | null
}

/**
 * Stores the difference between each service's clock and a monotonic one, so that setting this machine's clock changes
 * nothing. A monotonic clock may stop during a suspend. That looks like a wall clock that was set, and then nothing is
 * known until the next answer. By another route (`routeIdentity`), the same base URL may lead to another service, and a
 * page can choose the route of a draft that it checks. So each route has a clock of its own, and drafts don't count.
 */
export function createServiceClocks(monotonic: () => number): ServiceClocks {
  const known = new Map<string, { aheadMs: number; isSteady: () => boolean }>()
  const salt = randomUUID()
  const placeOf = (target: HttpTarget): string =>
    `${serviceIdentity(target, salt)}.${routeIdentity(target, salt)}`
  return {
    note(target, outcome) {
      const at = outcome.ok ? readDate(outcome.value.date, Date.now()) : null
      if (at === null || target.environmentId === null) return
      known.set(placeOf(target), { aheadMs: at - monotonic(), isSteady: watchWallClock(monotonic) })
    },
    now(target) {
      const clock = known.get(placeOf(target))
      return clock?.isSteady() ? clock.aheadMs + monotonic() : null
    },
  }
}
