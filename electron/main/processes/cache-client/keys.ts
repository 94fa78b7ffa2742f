import type { Outcome } from '@contract'
import type { FileKeys } from '../keychain/file-keys'

/** The keys of the caches in the keychain: 64 hexadecimal digits each. */
export interface CacheKeys {
  /**
   * The key of an environment's cache. `stored` says that a file exists that was encrypted with it. Then a keychain
   * without the key is locked, not empty. Fails with the keychain's failures. Then nothing may be written to the disk.
   */
  keyFor: (environmentId: string, stored: boolean) => Promise<Outcome<string>>
  /** Deletes the key of a removed environment, if the keychain allows it. */
  forget: (environmentId: string) => Promise<void>
}

/** The keychain account for the key of an environment's cache. */
const cacheKeyAccount = (environmentId: string): string => `cache-key-${environmentId}`

/** Stores the keys of the caches, one for each environment. */
export function createCacheKeys(keys: FileKeys): CacheKeys {
  return {
    keyFor: (environmentId, stored) => keys.keyFor(cacheKeyAccount(environmentId), { stored }),
    forget: (environmentId) => keys.forget(cacheKeyAccount(environmentId)),
  }
}

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
