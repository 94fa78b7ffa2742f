import type { Outcome } from '@contract'
import type { KeychainEntry } from '@contract/app/processes'
import { createHash } from 'node:crypto'

/**
 * The system's keychain. Calls run one at a time. Each fails with `keychain-locked`, `keychain-missing`,
 * `keychain-unresponsive` (also when the call may have had an effect) or `keychain-refused`.
 */
export interface Keychain {
  /**
   * Whether a locked keychain looks empty: `get` gives null and `delete` false. With keytar on Linux it does, so null
   * alone never means that an entry is gone.
   */
  looksEmptyWhenLocked: boolean
  /** The largest size of an entry (UTF-8 bytes); null if no limit matters. */
  entryLimit: number | null
  get: (account: string) => Promise<Outcome<string | null>>
  set: (account: string, value: string) => Promise<Outcome<null>>
  /** Deletes an entry; false if there was none. */
  delete: (account: string) => Promise<Outcome<boolean>>
  /** Every entry of this application. Only for an unlocked keychain: keytar crashes on locked entries. */
  findAll: () => Promise<Outcome<KeychainEntry[]>>
  /** Abandons the running call, if any. */
  giveUp: () => void
  /** Later calls use a new connection to the keychain, if the last call failed. */
  renew: () => void
  /** Running and later calls fail. */
  close: () => void
}

/** The entry that tells an open keychain from a locked one that looks empty. Never a secret. */
export const marker = { account: 'marker', value: 'Tells Slipway that the keychain is open.' }

/**
 * The service name of this installation's keychain entries: `Slipway`, or a separate name if the user data folder isn't
 * the default one. So installations side by side (and tests) never touch each other's entries.
 */
export function keychainServiceName(userDataFolder: string, defaultFolder: string): string {
  if (userDataFolder === defaultFolder) return 'Slipway'
  return `Slipway-${createHash('sha256').update(userDataFolder).digest('hex').slice(0, 16)}`
}
