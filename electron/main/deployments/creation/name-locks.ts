import { randomUUID } from 'node:crypto'
import type { ReadyEnvironment } from '../../environments/model/types'
import { serviceIdentity } from '../../environments/model/service-identity'

/**
 * Locks names while they are created, so that a double click never creates twice. A lock is held at the service, which two
 * environments may share, and in the environment, whose base URL or tenant may be edited meanwhile.
 */
export class NameLocks {
  readonly #held = new Set<string>()
  readonly #salt = randomUUID()

  /** Locks a name; gives the function that releases it, or null if it is locked. */
  acquire({ id, target }: ReadyEnvironment, name: string): (() => void) | null {
    const keys = [serviceIdentity(target, this.#salt), id].map((place) => JSON.stringify([place, name]))
    if (keys.some((key) => this.#held.has(key))) return null
    for (const key of keys) this.#held.add(key)
    return () => {
      for (const key of keys) this.#held.delete(key)
    }
  }
}
