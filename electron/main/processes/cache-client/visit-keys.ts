import type { Outcome } from '@contract'
import type { CacheKeys } from './keys'

/** The keys of caches that are opened only to be read, again and again: the keychain is asked once for each. */
export interface VisitKeys extends Pick<CacheKeys, 'keyFor'> {
  /** Takes the key with which a cache was opened. */
  remember: (environmentId: string, key: string) => void
  /** Forgets the key of a removed environment. */
  forget: (environmentId: string) => void
}

/** How long the keychain isn't asked again after it failed, in milliseconds: each call may ask for a password. */
const askAgainAfterMs = 2_000

/** @param now a monotonic clock, in milliseconds */
export function createVisitKeys(
  { keyFor }: Pick<CacheKeys, 'keyFor'>,
  now: () => number = () => performance.now(),
): VisitKeys {
  const known = new Map<string, string>()
  let failed: { outcome: Outcome<never>; at: number } | null = null
  return {
    remember: (environmentId, key) => known.set(environmentId, key),
    forget: (environmentId) => known.delete(environmentId),
    async keyFor(environmentId, stored) {
      const key = known.get(environmentId)
      if (key !== undefined) return { ok: true, value: key }
      if (failed && now() - failed.at < askAgainAfterMs) return failed.outcome
      const outcome = await keyFor(environmentId, stored)
      failed = outcome.ok ? null : { outcome: outcome, at: now() }
      return outcome
    },
  }
}
