import { randomUUID } from 'node:crypto'
import type { Certificate, Trust } from '@contract'

/** A certificate that a service showed and that was refused, as the main process itself saw it. */
export interface SeenRefusal {
  /** The environment whose service it was; null for a draft of one. */
  environmentId: string | null
  /** Origin of the base URL that was asked. */
  origin: string
  /** The rule that refused it. */
  trust: Trust
  certificate: Certificate
}

/** The refused certificates that the user may still decide to trust. */
export interface Refusals {
  /** Keeps a refusal; gives the random identifier by which the page may name it. */
  record: (refusal: SeenRefusal) => string
  /** The refusal of an identifier; null where none was given out, or too long ago. */
  find: (id: string) => SeenRefusal | null
}

/** How long a refusal can be answered, in milliseconds: long enough to ask whoever runs the service. */
const lifetimeMs = 60 * 60_000

/** More are not kept: a service that is asked again and again would fill the memory. */
const mostRefusals = 100

/**
 * Makes the memory of refusals. Only what is in it can be trusted exactly, so that a page which was taken over cannot
 * bring a certificate of its own.
 *
 * @param now a clock in milliseconds that is never set back
 */
export function createRefusals(now: () => number = () => performance.now()): Refusals {
  /** By identifier; what was seen last is last. */
  const seen = new Map<string, { refusal: SeenRefusal; at: number }>()

  return {
    record(refusal) {
      const text = JSON.stringify(refusal)
      // A synchronisation meets the same one again and again, while the user looks at it.
      const known = [...seen].find(([, entry]) => JSON.stringify(entry.refusal) === text)
      const id = known?.[0] ?? randomUUID()
      seen.delete(id)
      seen.set(id, { refusal, at: now() })
      const [oldest] = seen.keys()
      if (seen.size > mostRefusals && oldest !== undefined) seen.delete(oldest)
      return id
    },
    find(id) {
      const found = seen.get(id)
      return found && now() - found.at <= lifetimeMs ? found.refusal : null
    },
  }
}
