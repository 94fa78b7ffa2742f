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
