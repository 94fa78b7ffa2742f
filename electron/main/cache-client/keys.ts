import type { Outcome } from '@contract'
import { createFileKeys } from '../keychain/file-keys'
import type { Keychain } from '../keychain/types'

/** The keys of the caches: 64 hexadecimal digits each, kept in the keychain. */
export interface CacheKeys {
  /**
   * The key of an environment's cache. `stored` says that there is a file made with it, so that a keychain which
   * answers with nothing is locked rather than empty. Fails with the keychain's failures; nothing may then be
   * written to disk.
   */
  keyFor: (environmentId: string, stored: boolean) => Promise<Outcome<string>>
  /** Forgets the key of a removed environment, as far as the keychain lets us. */
  forget: (environmentId: string) => Promise<void>
}

/** Where the key of an environment's cache is in the keychain. */
export const cacheKeyAccount = (environmentId: string): string => `cache-key-${environmentId}`

/** Keeps the keys of the caches, one an environment, in the keychain that `open` gives. */
export function createCacheKeys(open: () => Keychain): CacheKeys {
  const keys = createFileKeys(open)
  return {
    keyFor: (environmentId, stored) => keys.keyFor(cacheKeyAccount(environmentId), { stored }),
    forget: (environmentId) => keys.forget(cacheKeyAccount(environmentId)),
  }
}
