/** A call to the system's keychain, which the process that owns the disk makes. */
export type KeychainRequest =
  | { call: 'get' | 'delete'; service: string; account: string }
  | { call: 'set'; service: string; account: string; value: string }

/** What each call gives: `delete` whether there was an entry. */
export interface KeychainValues {
  get: string | null
  set: null
  delete: boolean
}

/**
 * The reply to a call. `problem` says whether the keychain library can't be loaded or the keychain refused; `words` is
 * the error message of either.
 */
export type KeychainReply =
  | { ok: true; value: KeychainValues[KeychainRequest['call']] }
  | { ok: false; problem: 'library' | 'keychain'; words: string }

/** The tables of `state.db`, which has what Slipway itself keeps. Each has a text for each identifier. */
export const stateTables = ['journal', 'drafts', 'personal', 'watches'] as const

export type StateTable = (typeof stateTables)[number]

/** The table that is written without a key, too: an attempt must be on the disk before its request leaves. */
export const plainTable: StateTable = 'journal'

/** Replaces the text of an identifier; null removes it. */
export interface StateChange {
  id: string
  text: string | null
}

/** The texts of a table, in the order their identifiers were first written. */
export type StateRow = [id: string, text: string]

/** The main process's requests about `state.db` to the process that owns the disk. */
export type StateRequest =
  /** Opens the file, or creates it. Gives whether a key is needed to read all of it. */
  | { op: 'open'; file: string }
  /** From now on, everything is encrypted with this key: 64 hexadecimal digits. */
  | { op: 'unlock'; key: string }
  /** `isLocked`: some rows couldn't be read without the key. */
  | { op: 'read'; table: StateTable }
  /** Makes all changes or none. They are on the disk when this is answered. */
  | { op: 'write'; table: StateTable; changes: StateChange[] }

export type StateOp = StateRequest['op']

export interface StateValues {
  open: { isSealed: boolean }
  unlock: null
  read: { rows: StateRow[]; isLocked: boolean }
  write: null
}

/** Why a file was set aside, and its new name: then the request was answered from a new file. */
export interface StateAside {
  reason: 'damaged' | 'wrong-key'
  name: string
}

export type StateReply = { setAside: StateAside | null } & (
  | { ok: true; value: StateValues[StateOp] }
  | { ok: false; isFull: boolean; message: string }
)

/**
 * Exit codes of the built-in service when it can't start. The service's `Refusal` explains the reasons. The code for
 * damaged data is EX_DATAERR of sysexits.h, which Node itself doesn't use.
 */
export const serviceExit = { other: 1, arguments: 2, damaged: 65 } as const
