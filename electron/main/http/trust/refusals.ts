import { randomUUID } from 'node:crypto'
import type { Certificate, Trust } from '@contract'

/** A refused certificate, as the main process saw it. */
export interface SeenRefusal {
  /** The environment of the service; null for a draft of one. */
  environmentId: string | null
  /** The origin of the base URL. */
  origin: string
  /** The rule that refused it. */
  trust: Trust
  certificate: Certificate
}

/** The refused certificates that the operator may still trust. */
export interface Refusals {
  /** Stores a refusal. Gives the random identifier by which the page may name it. */
  record: (refusal: SeenRefusal) => string
  /** The refusal with an identifier; null if it is unknown or too old. */
  find: (id: string) => SeenRefusal | null
}

/** How long a refusal can be answered, in milliseconds: long enough to ask the operator of the service. */
const lifetimeMs = 60 * 60_000

/** How many refusals are stored. Without a limit, a service that is called repeatedly would fill the memory. */
const maxRefusals = 100

/**
 * Creates an empty store. Only certificates in it can be trusted exactly, so that a compromised page can't bring its
 * own.
 *
 * @param now a monotonic clock in milliseconds
 */
export function createRefusals(now: () => number = () => performance.now()): Refusals {
  /** By identifier, latest last. */
  const seen = new Map<string, { refusal: SeenRefusal; at: number }>()

  return {
    record(refusal) {
      const text = JSON.stringify(refusal)
      // A synchronisation records the same refusal repeatedly while the operator looks at it.
      const known = [...seen].find(([, entry]) => JSON.stringify(entry.refusal) === text)
      const id = known?.[0] ?? randomUUID()
      seen.delete(id)
      seen.set(id, { refusal, at: now() })
      const [oldest] = seen.keys()
      if (seen.size > maxRefusals && oldest !== undefined) seen.delete(oldest)
      return id
    },
    find(id) {
      const found = seen.get(id)
      return found && now() - found.at <= lifetimeMs ? found.refusal : null
    },
  }
}
