import type { Observer } from '@contract/cache'

/** A deployment as it is known. */
export interface Known {
  /** Its identifier as it is stored. */
  key: string
  name: string
  /** The answer without values of secrets, as JSON text, and its checksum. */
  json: string
  hash: string
}

/** What was known of a deployment until an answer showed something else. */
interface KnownBefore {
  json: string
  hash: string
  /** When that was last seen, in milliseconds. */
  seenAt: number
  wasGone: boolean
}

/** What an answer shows that differs from what was known. `at` is when, in milliseconds. */
export interface SeenChange {
  before: KnownBefore
  now: Known
  at: number
  by: Observer
}

/** How long what was replaced counts as another replica's since one last showed it, in milliseconds. */
const disagreeMs = 10 * 60_000

/** How long an answer that takes a change back has to stay in order to count, in milliseconds. */
const settleMs = 60_000

/** How many contents of a deployment, and of how many deployments what was replaced, are remembered. */
const max = { contents: 4, deployments: 10_000 } as const

/** Tells real changes from disagreements between replicas of a service. */
export interface Replicas {
  /**
   * The change to record; null while that isn't certain, or if nothing changed after all.
   *
   * @param alike whether both contents have the same `updated_at`, so that either may be the older one
   */
  take: (change: SeenChange, alike: boolean) => SeenChange | null
  /** The change of a deployment that isn't certain yet; undefined if there is none. */
  waiting: (key: string) => SeenChange | undefined
  /** The changes of deployments that are certain now: what they led to is still shown. */
  settled: (keys: Iterable<string>, at: number) => SeenChange[]
  /** The changes of deployments, or of all, that aren't certain yet. They are from now on. */
  rest: (keys?: Iterable<string>) => SeenChange[]
}

/**
 * Where two replicas show different content under one `updated_at`, read in turns, each takes back what the other has
 * shown. The first change counts. One that leads back to what was replaced a moment ago waits until it has been shown
 * for a minute, and if it is taken back itself, nothing has changed.
 */
export function createReplicas(): Replicas {
  const replaced = new Map<string, { hashes: string[]; at: number }>()
  const waiting = new Map<string, SeenChange>()

  function noteReplaced(key: string, hashes: string[], at: number): void {
    replaced.delete(key)
    replaced.set(key, { hashes: hashes.slice(0, max.contents), at })
    const [oldest] = replaced.keys()
    if (replaced.size > max.deployments && oldest !== undefined) replaced.delete(oldest)
  }

  function takeOut(key: string): SeenChange | undefined {
    const change = waiting.get(key)
    waiting.delete(key)
    return change
  }

  return {
    take(change, alike) {
      const { key, hash } = change.now
      const earlier = takeOut(key)
      const whole = earlier ? { ...change, before: earlier.before } : change
      if (!alike) {
        replaced.delete(key)
        return whole
      }
      const before = replaced.get(key)
      const known = before && Math.abs(change.at - before.at) < disagreeMs ? before.hashes : []
      noteReplaced(key, [...new Set([change.before.hash, ...known])], change.at)
      if (whole.before.hash === hash) return null
      if (!known.includes(hash) || waiting.size >= max.deployments) return whole
      waiting.set(key, { ...whole, at: change.at })
      return null
    },

    waiting: (key) => waiting.get(key),

    settled(keys, at) {
      if (waiting.size === 0) return []
      return [...keys].flatMap((key) => {
        const change = waiting.get(key)
        if (!change || Math.abs(at - change.at) < settleMs) return []
        return takeOut(key) ?? []
      })
    },

    rest: (keys = [...waiting.keys()]) => [...keys].flatMap((key) => takeOut(key) ?? []),
  }
}
