import { Sequencer } from '../../async'
import { createKnownSecrets, type KnownSecrets, maxFormCharacters } from '../../log/secrets/known-secrets'
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
  /**
   * Adds what a request sends to the service at `baseUrl`; gives all that was sent to its origin. Requests come one
   * after the other, so that what is being added takes no more memory than one request's.
   */
  add: (baseUrl: string, secrets: readonly string[]) => Promise<KnownSecrets>
}

/**
 * Creates an empty store. All services together have the limit of one `KnownSecrets`. Beyond it, the least recently
 * used service is forgotten.
 */
export function createSentSecrets(): SentSecrets {
  /** By origin, the most recently used last. */
  const services = new Map<string, KnownSecrets>()
  const adding = new Sequencer()

  function forgetOldest(): void {
    let characters = [...services.values()].reduce((sum, known) => sum + known.characters(), 0)
    for (const [origin, known] of services) {
      if (characters <= maxFormCharacters || services.size === 1) return
      characters -= known.characters()
      services.delete(origin)
    }
  }

  async function add(baseUrl: string, secrets: readonly string[]): Promise<KnownSecrets> {
    const { origin } = new URL(baseUrl)
    const known = services.get(origin) ?? createKnownSecrets(hiddenInside)
    services.delete(origin)
    services.set(origin, known)
    const long = secrets.filter((secret) => secret.trim().length >= shortestSecret)
    await known.learn(long)
    await known.learn(asShown(long))
    forgetOldest()
    return known
  }

  return { add: (baseUrl, secrets) => adding.queue(() => add(baseUrl, secrets)) }
}

/** What is searched has no unseen characters any more. Gives an empty text for each secret that has none either. */
function* asShown(secrets: readonly string[]): Generator<string> {
  for (const secret of secrets) {
    const text = visible(secret)
    yield text !== secret && text.length >= shortestSecret ? text : ''
  }
}
