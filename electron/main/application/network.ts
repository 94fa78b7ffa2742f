import type { Connection } from '@contract'
import { throttle } from '../async'
import { deploymentService } from '../features/deployments/failure-advice'
import { createHttpClient } from '../http'
import { Connections } from '../http/connections'
import { loggedClient } from '../http/logged'
import { createRefusals, type Refusals } from '../http/trust/refusals'
import type { HttpClient, HttpTarget } from '../http/types'
import { log } from '../log'

/** The HTTP client and what it observes. */
export interface Network {
  connections: Connections
  refusals: Refusals
  http: HttpClient
}

/** A monotonic clock, in milliseconds. */
export const monotonic = (): number => performance.now()

/**
 * @param onConnection is called after every change of a connection, of any environment
 * @param leadsThere tells whether a target's environment still leads there. A late answer of another service says
 *   nothing about the environment's current one.
 */
export function createNetwork(
  onConnection: (connection: Connection) => void,
  leadsThere: (target: HttpTarget) => boolean,
): Network {
  const connections = new Connections(onConnection)
  const refusals = createRefusals()
  const client = createHttpClient(
    refusals,
    (target, outcome) => {
      if (target.environmentId !== null && leadsThere(target)) connections.note(target.environmentId, outcome)
    },
    deploymentService,
  )
  return { connections, refusals, http: loggedClient(client, log) }
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
