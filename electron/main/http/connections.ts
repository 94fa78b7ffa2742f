import type { Connection, Failure, FailureCode, Outcome } from '@contract'

/** Failures that show that the service is unreachable. All others but a cancellation show that it is reachable. */
const unreachable: readonly FailureCode[] = ['offline', 'timeout', 'certificate', 'proxy', 'connection-lost']

/** Whether a failure shows that the service is unreachable. */
export function isUnreachable({ code, status }: Failure): boolean {
  // A service may itself answer with a proxy's status.
  return unreachable.includes(code) && (code !== 'proxy' || status === null)
}

/** Whether each environment's service is reachable, by its latest requests. */
export class Connections {
  readonly #connections = new Map<string, Connection>()
  readonly #changed: (connection: Connection) => void

  /** `changed` is called with every change. */
  constructor(changed: (connection: Connection) => void) {
    this.#changed = changed
  }

  of(environmentId: string): Connection {
    return this.#connections.get(environmentId) ?? { environmentId, state: 'unknown', at: null, reason: null }
  }

  /** Notes the outcome of a request. Reports every one, since the time of the last is shown too. */
  note(environmentId: string, outcome: Outcome<unknown>): void {
    const reason = outcome.ok ? null : outcome.failure
    const offline = reason !== null && isUnreachable(reason)
    // A request that was never sent says nothing about the service.
    if (reason?.code === 'cancelled' || (reason?.sent === 'no' && !offline)) return
    const connection: Connection = {
      environmentId,
      state: offline ? 'offline' : 'online',
      at: new Date().toISOString(),
      reason: offline ? reason.message : null,
    }
    this.#connections.set(environmentId, connection)
    this.#changed(connection)
  }

  /** Forgets a removed environment. */
  forget(environmentId: string): void {
    this.#connections.delete(environmentId)
  }
}
