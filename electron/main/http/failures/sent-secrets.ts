import { createKnownSecrets, type KnownSecrets, mostFormCharacters } from '../../log/secrets/known-secrets'
import { visible } from './plain-text'

/** Shorter values are not hidden: they are no secrets. */
const shortestSecret = 4

/** A shorter value is hidden only where it stands alone: "prod" is no part of "production". */
const hiddenInside = 8

/**
 * Remembers what each service was sent in confidence since the start. A service may repeat the secret of a creation in
 * the answer to any later request, whose failure is shown and kept in the journal.
 */
export interface SentSecrets {
  /** Adds what a request sends to the service at `baseUrl`; gives all that was sent to its origin. */
  add: (baseUrl: string, secrets: readonly string[]) => KnownSecrets
}

/**
 * Makes an empty memory, of all services as large as that of one may be. Beyond its size it forgets the service that was
 * sent something the longest time ago.
 */
export function createSentSecrets(): SentSecrets {
  /** By origin, the last one used at the end. */
  const services = new Map<string, KnownSecrets>()

  function forgetOldest(): void {
    let characters = [...services.values()].reduce((sum, known) => sum + known.characters(), 0)
    for (const [origin, known] of services) {
      if (characters <= mostFormCharacters || services.size === 1) return
      characters -= known.characters()
      services.delete(origin)
    }
  }

  return {
    add(baseUrl, secrets) {
      const { origin } = new URL(baseUrl)
      const known = services.get(origin) ?? createKnownSecrets(hiddenInside)
      services.delete(origin)
      services.set(origin, known)
      const long = secrets.filter((secret) => secret.trim().length >= shortestSecret)
      known.learn(long)
      // What is searched has no unseen characters any more.
      known.learn(
        long.map(visible).filter((text, index) => text !== long[index] && text.length >= shortestSecret),
      )
      forgetOldest()
      return known
    },
  }
}
