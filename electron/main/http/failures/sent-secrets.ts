import { createKnownSecrets, type KnownSecrets, mostFormCharacters } from '../../log/secrets/known-secrets'
import { visible } from './plain-text'

/** Shorter values aren't hidden: they can't be secrets. */
const shortestSecret = 4

/** A shorter value is hidden only as a word of its own: "prod" stays in "production". */
const hiddenInside = 8

/**
 * The secrets that each service was sent since the start. A service may repeat a creation's secret in the answer to any
 * later request, and its failure is shown and stored in the journal.
 */
export interface SentSecrets {
  /** Adds the secrets of a request to the service at `baseUrl`. Gives all secrets that were sent to its origin. */
  add: (baseUrl: string, secrets: readonly string[]) => KnownSecrets
}

/**
 * Creates an empty store. All services together have the limit of one `KnownSecrets`. Beyond it, the least recently
 * used service is forgotten.
 */
export function createSentSecrets(): SentSecrets {
  /** By origin, the most recently used last. */
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
      // The texts to search have no invisible characters any more, so the secrets must not have any either.
      known.learn(
        long.map(visible).filter((text, index) => text !== long[index] && text.length >= shortestSecret),
      )
      forgetOldest()
      return known
    },
  }
}
