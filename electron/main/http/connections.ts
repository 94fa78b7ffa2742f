import type { Connection, Failure, FailureCode, Outcome } from '@contract'

/** Failures that show that the service is unreachable. All others, except a cancellation, show that it is reachable. */
const unreachable: readonly FailureCode[] = ['offline', 'timeout', 'certificate', 'proxy', 'connection-lost']

/** Whether a failure shows that the service is unreachable. */
export function isUnreachable({ code, status }: Failure): boolean {
  // The service itself may answer with the status of a proxy.
  return unreachable.includes(code) && (code !== 'proxy' || status === null)
}

/** Whether each environment's service is reachable, according to its latest requests. */
export class Connections {
  readonly #connections = new Map<string, Connection>()
  readonly #changed: (connection: Connection) => void

  /** `changed` is called after every request, also if only the time of the last one changed. */
  constructor(changed: (connection: Connection) => void) {
    this.#changed = changed
  }

  of(environmentId: string): Connection {
    return this.#connections.get(environmentId) ?? { environmentId, state: 'unknown', at: null, reason: null }
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
      reason: state === 'online' ? null : (reason?.message ?? null),
    }
    this.#connections.set(environmentId, connection)
    this.#changed(connection)
  }

  /** Forgets what is known of an environment that was removed, or that leads to another service now. */
  forget(environmentId: string): void {
    this.#connections.delete(environmentId)
  }
}
