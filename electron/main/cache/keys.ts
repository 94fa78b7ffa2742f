import { randomBytes } from 'node:crypto'
import { fail, failure, type Outcome, succeed } from '@contract'
import type { Keychain } from '../keychain/port'

/** The keys of the copies: 64 hexadecimal digits each, kept in the keychain. */
export interface CacheKeys {
  /**
   * The key of an environment's copy. `stored` says that there is a file made with it, so that a keychain which
   * answers with nothing is locked rather than empty. Fails with the keychain's failures; nothing may then be
   * written to disk.
   */
  keyFor: (environmentId: string, stored: boolean) => Promise<Outcome<string>>
  /** Forgets the key of a removed environment, as far as the keychain lets us. */
  forget: (environmentId: string) => Promise<void>
}

/** The entry by which the profiles tell an open keychain from a locked one; see the profile store. */
const marker = 'marker'

const account = (environmentId: string): string => `cache-key-${environmentId}`

/**
 * Keeps the keys in the keychain that `open` gives. Each call has a keychain of its own and closes it, so that a
 * keychain which hangs over a copy's key never holds up a profile.
 */
export function createCacheKeys(open: () => Keychain): CacheKeys {
  async function withKeychain<T>(use: (keychain: Keychain) => Promise<T>): Promise<T> {
    const keychain = open()
    try {
      return await use(keychain)
    } finally {
      keychain.close()
    }
  }

  return {
    keyFor: (environmentId, stored) =>
      withKeychain(async (keychain) => {
        const found = await keychain.get(account(environmentId))
        if (!found.ok) return found
        if (found.value !== null && /^[0-9a-f]{64}$/.test(found.value)) return succeed(found.value)
        if (found.value === null && keychain.looksEmptyWhenLocked && stored) {
          const open = await keychain.get(marker)
          if (!open.ok) return open
          if (open.value === null) {
            return fail(failure('keychain-locked', 'The keychain is locked.', { retryable: true }))
          }
        }
        const key = randomBytes(32).toString('hex')
        const kept = await keychain.set(account(environmentId), key)
        return kept.ok ? succeed(key) : kept
      }),

    forget: (environmentId) =>
      withKeychain(async (keychain) => {
        await keychain.delete(account(environmentId))
      }),
  }
}
