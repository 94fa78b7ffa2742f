import type { Outcome } from '@contract'
import type { KeychainEntry } from '@contract/app/keychain'

/**
 * The system's keychain, one call at a time. Every call fails with `keychain-locked`, `keychain-missing`,
 * `keychain-unresponsive` (also when it is not known whether the call had an effect) or `keychain-refused`.
 */
export interface Keychain {
  /**
   * Whether a locked keychain answers as if it held nothing: `get` gives null and `delete` false. It is so with
   * keytar on Linux, so that there null alone never means that an entry is gone.
   */
  looksEmptyWhenLocked: boolean
  /** Most bytes (UTF-8) that an entry can hold, null where there is no limit that matters. */
  entryLimit: number | null
  get: (account: string) => Promise<Outcome<string | null>>
  set: (account: string, value: string) => Promise<Outcome<null>>
  /** Deletes an entry; false where none was found. */
  delete: (account: string) => Promise<Outcome<boolean>>
  /** Every entry of this application. Only for an unlocked keychain: keytar crashes on entries that are locked. */
  findAll: () => Promise<Outcome<KeychainEntry[]>>
  /** Gives up the call that is under way, if there is one; calls after it go to a new process. */
  giveUp: () => void
  /** Calls after this go to a new process, with a connection of its own to the keychain. */
  renew: () => void
  /** Ends the keychain process. Later calls fail. */
  close: () => void
}
