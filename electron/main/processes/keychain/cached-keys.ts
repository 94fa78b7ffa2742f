import { singleFlight } from '../../async'
import type { FileKeys } from './file-keys'
import { marker } from './marker'
import type { Keychain } from './types'

/** Keys of files, which are checked in the keychain while Slipway runs. */
export interface CachedKeys extends Pick<FileKeys, 'keyFor'> {
  /** Call it after a file was written with a key: checks the keys, at most once in five minutes. */
  noteWrite: () => Promise<void>
  /**
   * Checks that the keychain still has the keys that it gave out in this run. Writes back a key that an open keychain
   * lacks, and reports it if that fails. If the value differs, reports it and leaves it unchanged. Never makes the
   * system ask for a password.
   */
  look: () => Promise<void>
}

/** The accounts for which a check found a problem. */
export interface KeysAmiss {
  /** The keychain has another value. */
  replaced: string[]
  /** An open keychain lacks the key and refused to take it back. */
  lost: string[]
}

export interface CachedKeysOptions {
  keys: FileKeys
  open: () => Keychain
  /** Further accounts, besides the marker. If one of them is readable, the keychain is open. */
  proofs: () => string[]
  /** Called after each complete check; not while the keychain is locked or doesn't answer. */
  found: (amiss: KeysAmiss) => void
  /** Called when a key was missing; `failure` is the code of a failed attempt to write it back. */
  wroteBack: (account: string, failure: string | null) => void
  platform?: NodeJS.Platform
  /** How long after a check the next write starts another one, in milliseconds. */
  everyMs?: number
}

const untilClosed =
  'you close Slipway; otherwise, note which creations are unconfirmed and what you need from the drafts.'

const replacedText =
  'The keychain now has other keys for the journal and the drafts than Slipway uses. They were left unchanged, so what ' +
  'is in use can be read only until Slipway closes. If you have the earlier keychain, restore it before ' +
  untilClosed

const lostText =
  'Keys of the journal and the drafts were deleted from the keychain, and it refused to store them again. What is in use ' +
  'can be read only until Slipway closes. Slipway tries again with later changes: make sure that the keychain can be ' +
  'written to before ' +
  untilClosed

/** The notice for the operator; null if nothing is wrong. */
export function keysNotice({ replaced, lost }: KeysAmiss): string | null {
  const texts = [...(replaced.length > 0 ? [replacedText] : []), ...(lost.length > 0 ? [lostText] : [])]
  return texts.length > 0 ? texts.join(' ') : null
}

/**
 * Ensures that the next run can read what this one writes. The operator or another program may delete the keys or
 * replace the keychain. Then the keys in memory are the last ones.
 */
export function createCachedKeys({
  keys,
  open,
  proofs,
  found,
  wroteBack,
  platform = process.platform,
  everyMs = 300_000,
}: CachedKeysOptions): CachedKeys {
  const knownKeys = new Map<string, string>()
  /** By a monotonic clock. */
  let lookedAt = performance.now()

  /** If a locked keychain looks empty, only a readable entry proves that it is open. */
  async function isOpen(keychain: Keychain): Promise<boolean> {
    if (!keychain.looksEmptyWhenLocked) return true
    for (const account of new Set([marker.account, ...knownKeys.keys(), ...proofs()])) {
      const found = await keychain.get(account)
      if (!found.ok) return false
      if (found.value !== null) return true
    }
    return false
  }

  /** Whether the key is lost: certainly missing and not written back. Null if the keychain can't tell. */
  async function writeBack(keychain: Keychain, account: string, key: string): Promise<boolean | null> {
    if (!(await isOpen(keychain))) return null
    // It may have been unlocked between two calls.
    const again = await keychain.get(account)
    if (!again.ok) return null
    if (again.value !== null) return false
    const written = await keychain.set(account, key)
    wroteBack(account, written.ok ? null : written.failure.code)
    return !written.ok
  }

  async function lookIn(keychain: Keychain): Promise<void> {
    const amiss: KeysAmiss = { replaced: [], lost: [] }
    for (const [account, key] of knownKeys) {
      const stored = await keychain.get(account)
      if (!stored.ok) return
      if (stored.value === null) {
        const isLost = await writeBack(keychain, account, key)
        if (isLost === null) return
        if (isLost) amiss.lost.push(account)
      } else if (stored.value !== key) amiss.replaced.push(account)
    }
    found(amiss)
  }

  const lookOnce = singleFlight(async () => {
    lookedAt = performance.now()
    const keychain = open()
    await lookIn(keychain).finally(() => keychain.close())
  })

  async function look(): Promise<void> {
    // On macOS, reading from a locked keychain makes the system ask for its password.
    if (knownKeys.size > 0 && platform !== 'darwin') await lookOnce()
  }

  return {
    async keyFor(account, request) {
      const key = await keys.keyFor(account, request)
      if (key.ok) knownKeys.set(account, key.value)
      return key
    },

    async noteWrite() {
      if (performance.now() - lookedAt >= everyMs) await look()
    },

    look,
  }
}
