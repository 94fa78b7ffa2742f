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

/** Proves that the keychain is open. Writing the marker may make the system ask for a password. */
export async function proveOpen(keychain: Keychain, mayWrite: boolean): Promise<Outcome<null>> {
  if (!keychain.looksEmptyWhenLocked) return succeed(null)
  if (mayWrite) return keychain.set(marker.account, marker.value)
  const found = await keychain.get(marker.account)
  if (!found.ok) return found
  return found.value === null ? fail(lockedOrEmptied()) : succeed(null)
}

/**
 * Reads an entry. Null only if the keychain is proved to be open: then the entry is read again, since the keychain may
 * have been unlocked between two calls.
 */
export async function readCertainly(
  keychain: Keychain,
  account: string,
  mayWrite: boolean,
): Promise<Outcome<string | null>> {
  const first = await keychain.get(account)
  if (!first.ok || first.value !== null || !keychain.looksEmptyWhenLocked) return first
  const open = await proveOpen(keychain, mayWrite)
  return open.ok ? keychain.get(account) : open
}

/**
 * The keys of encrypted files in a keychain: 32 random bytes each, as 64 hexadecimal digits. An existing key is never
 * overwritten.
 */
export function createFileKeys(keychain: Keychain) {
  return {
    /**
     * The key of `account`, created if it doesn't exist. Fails if the keychain does. Then nothing may be written to the
     * disk.
     */
    async keyFor(account: string, { stored, byOperator = false }: KeyRequest): Promise<Outcome<string>> {
      const found = await readCertainly(keychain, account, byOperator || !stored)
      if (!found.ok) return found
      if (found.value !== null) return checked(found.value)
      const key = randomBytes(32).toString('hex')
      const written = await keychain.set(account, key)
      return written.ok ? succeed(key) : written
    },

    /** Deletes a key, if the keychain allows it. */
    async forget(account: string): Promise<void> {
      await keychain.delete(account)
    },
  }
}

export type FileKeys = ReturnType<typeof createFileKeys>

/** Leaves an entry unchanged that isn't a key. */
function checked(value: string): Outcome<string> {
  if (/^[0-9a-f]{64}$/.test(value)) return succeed(value)
  return fail(
    failure('keychain-refused', "A keychain entry of Slipway's doesn't hold a key.", {
      advice: 'It was left unchanged. Delete it in the keychain to start afresh.',
    }),
  )
}
