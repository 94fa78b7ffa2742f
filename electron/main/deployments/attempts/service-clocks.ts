import { randomUUID } from 'node:crypto'
import { routeIdentity, serviceIdentity } from '../../environments/service-identity'
import type { HttpClient, HttpTarget } from '../../http/types'
import { watchWallClock } from './absence'
import { readDate } from './times'

/** What the clocks of services show, as far as their answers in this run have said it. */
export interface ServiceClocks {
  /** A client like the given one, whose answers are heard. */
  hearing: (http: HttpClient) => HttpClient
  /** The time by the clock of the service that a target leads to (ms since 1970); null where it is not known. */
  now: (target: HttpTarget) => number | null
}

/**
 * Keeps how each service's clock differs from a monotonic one, so that setting this machine's clock changes nothing. A
 * suspend, during which a monotonic clock may stand still, shows as a wall clock that was set: then nothing is known
 * until the next answer. The same base URL may lead to another service in another way (`routeIdentity`), and whoever
 * checks a draft may choose that way, so each way has a clock of its own, and drafts are not heard.
 *
 * @param monotonic a monotonic clock, in milliseconds
 */
export function createServiceClocks(monotonic: () => number): ServiceClocks {
  const known = new Map<string, { aheadMs: number; isSteady: () => boolean }>()
  const salt = randomUUID()
  const placeOf = (target: HttpTarget): string =>
    `${serviceIdentity(target, salt)}.${routeIdentity(target, salt)}`
  return {
    hearing: (http) => ({
      async request(asked) {
        const outcome = await http.request(asked)
        const at = outcome.ok ? readDate(outcome.value.date, Date.now()) : null
        if (at !== null && asked.target.environmentId !== null) {
          const isSteady = watchWallClock(monotonic)
          known.set(placeOf(asked.target), { aheadMs: at - monotonic(), isSteady })
        }
        return outcome
      },
      forget: (environmentId) => http.forget(environmentId),
    }),
    now(target) {
      const clock = known.get(placeOf(target))
      return clock?.isSteady() ? clock.aheadMs + monotonic() : null
    },
  }
}
