import { randomBytes } from 'node:crypto'
import { fail, failure, type Outcome, succeed } from '@contract'
import { type Keychain, lockedOrEmptied, marker } from './types'

/** What the caller knows when it requests a key. */
export interface KeyRequest {
  /**
   * Whether a file exists that was encrypted with the key. Then a missing key means a locked keychain, unless the
   * keychain is proved to be open.
   */
  stored: boolean
  /** Whether the operator asked for it, so that the system may ask for a password. */
  byOperator?: boolean
}

/** The keys of encrypted files: 32 random bytes each, as 64 hexadecimal digits, in the keychain. */
export interface FileKeys {
  /**
   * The key of `account`, created if it doesn't exist. Fails if the keychain does. Then nothing may be written to the
   * disk.
   */
  keyFor: (account: string, request: KeyRequest) => Promise<Outcome<string>>
  /** Deletes a key, if the keychain allows it. */
  forget: (account: string) => Promise<void>
}

/**
 * Stores keys in a keychain.
 *
 * An existing key is never overwritten: before a new one is written, the keychain is proved to be open and the key is
 * read again, since the keychain may have been unlocked between two calls.
 */
export function createFileKeys(keychain: Keychain): FileKeys {
  /** Proves that the keychain is open. Writing the marker may make the system ask for a password. */
  async function seeOpen(mayWrite: boolean): Promise<Outcome<null>> {
    if (!keychain.looksEmptyWhenLocked) return succeed(null)
    if (mayWrite) return keychain.set(marker.account, marker.value)
    const found = await keychain.get(marker.account)
    if (!found.ok) return found
    return found.value === null ? fail(lockedOrEmptied()) : succeed(null)
  }

  return {
    async keyFor(account, { stored, byOperator = false }) {
      const first = await keychain.get(account)
      if (!first.ok) return first
      if (first.value !== null) return checked(first.value)
      const opened = await seeOpen(byOperator || !stored)
      if (!opened.ok) return opened
      const second = await keychain.get(account)
      if (!second.ok) return second
      if (second.value !== null) return checked(second.value)
      const key = randomBytes(32).toString('hex')
      const written = await keychain.set(account, key)
      if (!written.ok) return written
      return succeed(key)
    },

    async forget(account) {
      await keychain.delete(account)
    },
  }
}

/** Leaves an entry unchanged that isn't a key. */
function checked(value: string): Outcome<string> {
  if (/^[0-9a-f]{64}$/.test(value)) return succeed(value)
  return fail(
    failure('keychain-refused', "A keychain entry of Slipway's doesn't hold a key.", {
      advice: 'It was left unchanged. Delete it in the keychain to start afresh.',
    }),
  )
}
