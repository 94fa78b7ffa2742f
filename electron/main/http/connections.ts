import type { Connection, Failure, FailureCode, Outcome } from '@contract'
import { throttle } from '../async'

/** Failures that show that the service is unreachable. All others, except a cancellation, show that it is reachable. */
const unreachable: readonly FailureCode[] = ['offline', 'timeout', 'certificate', 'proxy', 'connection-lost']

/** Whether a failure shows that the service is unreachable. */
export function isUnreachable({ code, status }: Failure): boolean {
  // The service itself may answer with the status of a proxy.
  return unreachable.includes(code) && (code !== 'proxy' || status === null)
}

/** Failures that show that something is wrong with the service, and not with what was asked. */
const failing: readonly FailureCode[] = [
  'service-error',
  'rate-limited',
  'redirected',
  'unreadable-answer',
  'unexpected-status',
]

/** Whether the service answered with an error of its own. It answers, but nothing is to be had from it. */
export const isServiceError = ({ code, sent }: Failure): boolean =>
  sent === 'answered' && failing.includes(code)

/** Whether each environment's service is reachable, according to its latest requests. */
export class Connections {
  readonly #connections = new Map<string, Connection>()
  readonly #changed: (connection: Connection) => void
  /** The environments that lead to another service than before, which wasn't called yet. */
  readonly #moved = new Set<string>()

  /** `changed` is called after every request, also if only the time of the last one changed. */
  constructor(changed: (connection: Connection) => void) {
    this.#changed = changed
  }

  of(environmentId: string): Connection {
    return this.#connections.get(environmentId) ?? { environmentId, state: 'unknown', at: null, reason: null }
  }

  /**
   * Whether a service can be called in the background: it was reached, or an edit leads to one that wasn't called yet.
   */
  mayAnswer(environmentId: string): boolean {
    const { state } = this.of(environmentId)
    return state === 'online' || (state === 'unknown' && this.#moved.has(environmentId))
  }

  /** Takes the outcome of a request. */
  note(environmentId: string, outcome: Outcome<unknown>): void {
    const reason = outcome.ok ? null : outcome.failure
    const offline = reason !== null && isUnreachable(reason)
    // A request that was never sent says nothing about the service.
    if (reason?.code === 'cancelled' || (reason?.sent === 'no' && !offline)) return
    const state = offline ? 'offline' : reason?.code === 'unauthorised' ? 'denied' : 'online'
    const connection: Connection = {
      environmentId,
      state,
      at: new Date().toISOString(),
      reason: reason && (state !== 'online' || isServiceError(reason)) ? reason.message : null,
    }
    this.#connections.set(environmentId, connection)
    this.#moved.delete(environmentId)
    this.#changed(connection)
  }

  /** Forgets what is known of an environment that was removed. */
  forget(environmentId: string): void {
    this.#connections.delete(environmentId)
    this.#moved.delete(environmentId)
  }

  /** Forgets what is known of the service that an environment led to before an edit. */
  forgetService(environmentId: string): void {
    this.#connections.delete(environmentId)
    this.#moved.add(environmentId)
  }
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
