import { type Failure, failure, type Outcome } from '@contract'
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
export function libraryMissing(words: string, platform: NodeJS.Platform): Failure {
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
export function lockedOrEmptied(): Failure {
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
