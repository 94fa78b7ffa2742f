import type { Connection, Outcome } from '@contract'
import { throttle } from '../async'
import { createHttpClient } from '../http'
import { Connections } from '../http/connections'
import { createRefusals } from '../http/trust'
import type { HttpAnswer, HttpRequest, HttpTarget } from '../http/client'
import { log } from '../log'

/**
 * The HTTP client and what it observes.
 *
 * @param onConnection is called after every change of a connection, of any environment
 * @param leadsThere tells whether a target's environment still leads there. A late answer of another service says
 *   nothing about the environment's current one.
 */
export function createNetwork(
  onConnection: (connection: Connection) => void,
  leadsThere: (target: HttpTarget) => boolean,
) {
  const connections = new Connections(onConnection)
  const refusals = createRefusals()
  const http = createHttpClient(refusals, (request, outcome, ms) => {
    const { target } = request
    if (target.environmentId !== null && leadsThere(target)) connections.note(target.environmentId, outcome)
    logRequest(request, outcome, ms)
  })
  return { connections, refusals, http }
}

/** Logs method, path, status or failure code, and duration of a request; never a query, a header or a body. */
function logRequest({ target, method, path }: HttpRequest, outcome: Outcome<HttpAnswer>, ms: number): void {
  const about = { environment: target.environmentId ?? 'draft', ms: Math.round(ms) }
  if (outcome.ok) return log.debug('http', `${method} ${path}`, { ...about, status: outcome.value.status })
  const { code, status } = outcome.failure
  log[code === 'cancelled' ? 'debug' : 'warn']('http', `${method} ${path}`, { ...about, code, status })
}

/**
 * Sends a connection to the window when its state changes, and otherwise at most once a second: a synchronisation makes
 * many requests a second.
 */
export function throttleConnections(
  send: (connection: Connection) => void,
): (connection: Connection) => void {
  let last: Connection | null = null
  const sendLast = throttle(() => last && send(last), 1_000)
  return (connection) => {
    const isChanged =
      connection.state !== last?.state ||
      connection.reason !== last.reason ||
      connection.environmentId !== last.environmentId
    last = connection
    if (isChanged) send(connection)
    else sendLast()
  }
}
