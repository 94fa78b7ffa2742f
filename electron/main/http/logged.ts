import type { Log } from '../log'
import type { Redactor } from '../log/secrets/redaction'
import type { HttpClient } from './types'

/**
 * A client whose requests are noted in the log: method, path, status or failure code, time; never a query, a header
 * or a body. What a request says in confidence is known to the redactor before it leaves.
 */
export function loggedClient(http: HttpClient, log: Log, redactor: Redactor): HttpClient {
  return {
    async request(asked) {
      const { target, method, path } = asked
      redactor.learn(...Object.values(target.headers), ...(asked.secrets ?? []))
      const began = performance.now()
      const outcome = await http.request(asked)
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
    forget: (environmentId) => http.forget(environmentId),
  }
}
