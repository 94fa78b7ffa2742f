import type { Log } from '../log'
import type { HttpClient } from './types'

/**
 * A client that logs method, path, status or failure code, and duration of its requests. It never logs a query, a
 * header or a body.
 */
export function loggedClient(http: HttpClient, log: Log): HttpClient {
  return {
    ...http,
    async request(request) {
      const { target, method, path } = request
      const began = performance.now()
      const outcome = await http.request(request)
      const ms = Math.round(performance.now() - began)
      const about = { environment: target.environmentId ?? 'draft', ms }
      if (outcome.ok) {
        log.debug('http', `${method} ${path}`, { ...about, status: outcome.value.status })
      } else {
        const { code, status } = outcome.failure
        log[code === 'cancelled' ? 'debug' : 'warn']('http', `${method} ${path}`, { ...about, code, status })
      }
      return outcome
    },
  }
}
