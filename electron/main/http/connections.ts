import type { Connection, Failure, FailureCode, Outcome } from '@contract'

/** Failures that show that the service cannot be reached; every other one but a cancellation shows that it can. */
const unreachable: readonly FailureCode[] = ['offline', 'timeout', 'certificate', 'proxy', 'connection-lost']

/** Whether a failure shows that the service cannot be reached. */
export function isUnreachable({ code, status }: Failure): boolean {
  // A service may itself answer as a proxy does; an answer that breaks off is one that cannot be had.
  return unreachable.includes(code) && (code !== 'proxy' || status === null)
}

/** What the requests to each environment's service showed. */
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

  /** Notes the outcome of a request; tells of every one, since the time of the last is shown too. */
  note(environmentId: string, outcome: Outcome<unknown>): void {
    const reason = outcome.ok ? null : outcome.failure
    const offline = reason !== null && isUnreachable(reason)
    // What Slipway held back says nothing about the service.
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
