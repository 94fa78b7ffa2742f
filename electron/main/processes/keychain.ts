import { createHash, randomBytes } from 'node:crypto'
import { type Failure, failure, type Outcome, fail, succeed } from '@contract'
import type { KeychainReply, KeychainRequest, KeychainValues } from '../../cache/protocol'
import { Sequencer } from '../async'
import { log } from '../log'
import type { StoreProcess } from './store-process'

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
  /** Abandons the running call, if any. */
  giveUp: () => void
  /** Later calls use a new connection to the keychain, if the last call failed. */
  renew: () => void
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

/** How to get a keychain, by platform. */
function howToGetOne(platform: NodeJS.Platform): string {
  return platform === 'linux'
    ? 'Install and start a Secret Service such as GNOME Keyring or KWallet (and libsecret), then press Retry.'
    : "Check that the system's keychain works, then press Retry."
}

/** The library of the keychain couldn't be loaded. */
function libraryMissing(words: string, platform: NodeJS.Platform): Failure {
  return failure('keychain-missing', "The library of this system's keychain couldn't be loaded.", {
    advice: `${howToGetOne(platform)} (${words})`,
    retryable: true,
  })
}

/** Messages of libsecret, D-Bus, macOS and Windows that identify a refusal. The first match counts. */
const meanings: { code: 'keychain-locked' | 'keychain-missing' | 'keychain-unresponsive'; words: RegExp }[] =
  [
    {
      code: 'keychain-locked',
      words: /locked|dismissed|interaction is not allowed|cancell?ed|user ?name or passphrase/i,
    },
    {
      code: 'keychain-missing',
      words:
        /autolaunch|dbus-launch|could not connect|not provided by any|no such (?:file|interface|object)|ServiceUnknown|cannot connect|no keychain is available|connection refused|address .* (?:invalid|unknown)|DBUS_SESSION_BUS_ADDRESS/i,
    },
    {
      code: 'keychain-unresponsive',
      words:
        /timed? ?out|timeout|disconnected|did not receive a reply|without replying|connection is closed/i,
    },
  ]

/** The failure for a message of the keychain. */
export function keychainFailure(words: string, platform: NodeJS.Platform): Failure {
  const code = meanings.find((meaning) => meaning.words.test(words))?.code ?? 'keychain-refused'
  switch (code) {
    case 'keychain-locked':
      return locked()
    case 'keychain-missing':
      return failure(code, 'This system has no keychain that Slipway can use.', {
        advice: `${howToGetOne(platform)} (${words})`,
        retryable: true,
      })
    case 'keychain-unresponsive':
      return failure(code, "The keychain didn't answer.", {
        advice: 'Nothing stored there is lost. Press Retry, or restart the keychain of your system.',
        retryable: true,
      })
    case 'keychain-refused':
      return failure(code, 'The keychain refused.', {
        advice: `Nothing stored there is lost. Keychain response: ${words}`,
        retryable: true,
      })
  }
}

/** The keychain says that it is locked. */
export function locked(): Failure {
  return failure('keychain-locked', 'The keychain is locked.', {
    advice: 'Unlock it, then press Retry. Nothing stored there is lost.',
    retryable: true,
  })
}

/**
 * A stored entry wasn't found, in a keychain that looks empty while it is locked. Only Retry, which may ask for a
 * password, can tell whether it is locked.
 */
function lockedOrEmptied(): Failure {
  return failure('keychain-locked', "The keychain is locked, or Slipway's entries in it were deleted.", {
    advice:
      "If it's locked, unlock it, then press Retry. If it was only locked, nothing stored there is lost.",
    retryable: true,
  })
}

/** A call was abandoned: after its time limit, or because the operator retried (`afterMs` null). */
export function noAnswer(afterMs: number | null): Failure {
  const time = afterMs === null ? '' : ` for ${Math.round(afterMs / 1000)} seconds`
  return failure('keychain-unresponsive', `The keychain hasn't answered${time}.`, {
    advice:
      'If it asks for your password in another window, answer there, then press Retry. ' +
      'Nothing stored there is lost.',
    retryable: true,
  })
}

/** The keychain process ended during a call. */
export function keychainEnded(): Failure {
  return failure('keychain-unresponsive', 'The connection to the keychain ended unexpectedly.', {
    advice: 'Press Retry. Nothing stored there is lost.',
    retryable: true,
  })
}

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

export interface KeychainOptions {
  process: Pick<StoreProcess, 'start' | 'current' | 'callKeychain' | 'end'>
  /** The service name of the entries. */
  service: string
  platform?: NodeJS.Platform
  /**
   * How long a call may take, in milliseconds. Long, because the keychain may be asking a human for a password. Callers
   * with less time stop waiting; the call goes on.
   */
  timeLimitMs?: number
}

/**
 * Whether a lost connection to the keychain daemon can cause the failure. libsecret keeps a session with the first
 * daemon for the life of the process. Every call fails once another daemon has replaced it.
 */
const mayBeCutOff = ({ code }: Failure): boolean =>
  code === 'keychain-unresponsive' || code === 'keychain-refused' || code === 'keychain-missing'

/** Windows: CRED_MAX_CREDENTIAL_BLOB_SIZE. */
const windowsEntryLimit = 2_560

/**
 * The system's keychain, which the store process calls: one call at a time. A call past its limit is given up. If that is
 * a write, the process is ended: it must not take effect later. A read whose process ends is made once more in a new one.
 */
export function createKeychain({
  process: store,
  service,
  platform = process.platform,
  timeLimitMs = 120_000,
}: KeychainOptions): Keychain {
  const calls = new Sequencer()
  let giveUp: (reason: Failure) => void = () => undefined
  let lastFailure: Failure | null = null

  /** Makes a call once. Null if its process ended during it. */
  async function askOnce(request: KeychainRequest): Promise<Outcome<unknown> | null> {
    const to = store.start()
    if (!to) return null
    const givenUp = new Promise<Failure>((resolve) => (giveUp = resolve))
    const timer = setTimeout(() => giveUp(noAnswer(timeLimitMs)), timeLimitMs)
    const reply = await Promise.race([store.callKeychain(to, request), givenUp])
    clearTimeout(timer)
    if (reply === null) return null
    if ('code' in reply) {
      if (request.call !== 'get') store.end(to)
      return fail(reply)
    }
    return reply.ok ? succeed(reply.value) : fail(failureOf(reply))
  }

  const failureOf = ({ problem, words }: KeychainReply & { ok: false }): Failure =>
    problem === 'library' ? libraryMissing(words, platform) : keychainFailure(words, platform)

  const ask = <Call extends KeychainRequest['call']>(
    request: KeychainRequest & { call: Call },
  ): Promise<Outcome<KeychainValues[Call]>> =>
    calls.queue(async () => {
      const began = performance.now()
      const first = await askOnce(request)
      const second = first === null && request.call === 'get' ? await askOnce(request) : first
      const outcome = second ?? fail(keychainEnded())
      lastFailure = outcome.ok ? null : outcome.failure
      const about = { ms: Math.round(performance.now() - began), code: lastFailure?.code }
      log[lastFailure ? 'warn' : 'debug']('keychain', request.call, about)
      return outcome as Outcome<KeychainValues[Call]>
    })

  return {
    looksEmptyWhenLocked: platform === 'linux',
    entryLimit: platform === 'win32' ? windowsEntryLimit : null,
    get: (account) => ask({ call: 'get', service, account }),
    set: (account, value) => ask({ call: 'set', service, account, value }),
    delete: (account) => ask({ call: 'delete', service, account }),
    giveUp: () => giveUp(noAnswer(null)),
    renew() {
      const running = store.current()
      if (running && lastFailure && mayBeCutOff(lastFailure)) store.end(running)
    },
  }
}
