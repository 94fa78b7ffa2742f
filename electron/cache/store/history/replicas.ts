import type { Observer } from '@contract/cache'

/** The known state of a deployment. */
export interface Known {
  /** Its identifier as it is stored. */
  key: string
  name: string
  /** The answer without values of secrets, as JSON text, and its checksum. */
  json: string
  hash: string
}

/** The state of a deployment before an answer with a different one. */
interface KnownBefore {
  json: string
  hash: string
  /** When that state was last seen, in milliseconds. */
  seenAt: number
  wasGone: boolean
}

/** A change from the known state, as an answer shows it. `at` is when, in milliseconds. */
export interface SeenChange {
  before: KnownBefore
  now: Known
  at: number
  by: Observer
}

/** How long replaced content counts as another replica's after its last appearance, in milliseconds. */
const disagreeMs = 10 * 60_000

/** How long an answer that reverts a change must last to count, in milliseconds. */
const settleMs = 60_000

/** How many contents of a deployment are remembered, and for how many deployments. */
const max = { contents: 4, deployments: 10_000 } as const

/** Tells real changes from disagreements between replicas of a service. */
export interface Replicas {
  /**
   * The change to record; null while it isn't certain, or if nothing changed after all.
   *
   * @param alike whether both contents have the same `updated_at`, so that either may be the older one
   */
  take: (change: SeenChange, alike: boolean) => SeenChange | null
  /** The uncertain change of a deployment; undefined if there is none. */
  waiting: (key: string) => SeenChange | undefined
  /** The changes of deployments that are certain by now, because their result still appears. */
  settled: (keys: Iterable<string>, at: number) => SeenChange[]
  /** The uncertain changes of some deployments, or of all. They count as certain from now on. */
  rest: (keys?: Iterable<string>) => SeenChange[]
}

/**
 * If two replicas show different content with the same `updated_at` and are read in turns, each reverts what the other
 * has shown. The first change counts. One that reverts to recently replaced content only counts after it has been shown
 * for a minute. If it is itself reverted before, nothing has changed.
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
