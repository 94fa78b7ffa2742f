/** A call to the system's keychain, which the process that owns the disk makes. */
export type KeychainRequest =
  | { call: 'get' | 'delete'; service: string; account: string }
  | { call: 'set'; service: string; account: string; value: string }
  | { call: 'findAll'; service: string }

/** An entry of the keychain: its account and its secret. */
export interface KeychainEntry {
  account: string
  value: string
}

/** What each call gives: `delete` whether there was an entry. */
export interface KeychainValues {
  get: string | null
  set: null
  delete: boolean
  findAll: KeychainEntry[]
}

/**
 * The reply to a call. `problem` says whether the keychain library can't be loaded or the keychain refused; `words` is
 * the error message of either.
 */
export type KeychainReply =
  | { ok: true; value: KeychainValues[KeychainRequest['call']] }
  | { ok: false; problem: 'library' | 'keychain'; words: string }
