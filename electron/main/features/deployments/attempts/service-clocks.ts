import { randomUUID } from 'node:crypto'
import { routeIdentity, serviceIdentity } from '../../../environments/model/service-identity'
import type { HttpClient, HttpTarget } from '../../../http/types'
import { watchWallClock } from './absence'
import { readDate } from './times'

/** The clocks of services, according to their answers in this run. */
export interface ServiceClocks {
  /** Wraps a client to read the service's clock from its answers. */
  observe: (http: HttpClient) => HttpClient
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
    observe: (http) => ({
      ...http,
      async request(request) {
        const outcome = await http.request(request)
        const at = outcome.ok ? readDate(outcome.value.date, Date.now()) : null
        if (at !== null && request.target.environmentId !== null) {
          const isSteady = watchWallClock(monotonic)
          known.set(placeOf(request.target), { aheadMs: at - monotonic(), isSteady })
        }
        return outcome
      },
    }),
    now(target) {
      const clock = known.get(placeOf(target))
      return clock?.isSteady() ? clock.aheadMs + monotonic() : null
    },
  }
}
