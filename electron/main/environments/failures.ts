import { type Failure, type FieldIssue, type Outcome, fail, failure } from '@contract'

export const notReadYet = failure(
  'keychain-unresponsive',
  "Its profile hasn't been read from the keychain yet.",
  { retryable: true },
)

export const gone = failure('not-found', 'Its profile is no longer in the keychain.', {
  advice: 'It was deleted there. Enter it again, or remove the environment.',
})

export function builtInIsFixed(what: 'changed' | 'removed'): Failure {
  return failure('not-allowed', `A built-in environment can't be ${what}.`, {
    advice: 'Add your own environment instead.',
  })
}

/** An environment whose profile can't be read needs its name as typed, too. */
export function mayBeProtected(name: string): Failure {
  return failure('confirmation-needed', `"${name}" may be protected: its profile can't be read.`, {
    advice: "Type the environment's name to confirm.",
  })
}

export function invalid(message: string, issues: FieldIssue[]): Outcome<never> {
  return fail(failure('invalid-input', message, { issues }))
}

/** A refused certificate that can no longer be trusted: unknown, too old, or refused by settings that have changed. */
export function refusalGone(): Failure {
  return failure('not-found', 'This certificate can no longer be trusted from here.', {
    advice: 'Repeat what failed, then review the certificate that the service presents.',
  })
}

/** The operator declined to trust a certificate. */
export const notTrusted = failure('cancelled', "The certificate wasn't trusted.")

/** The operator couldn't be asked to trust a certificate. */
export const cannotAsk = failure(
  'not-allowed',
  "Another dialog is open, or was just declined, so you weren't asked.",
  {
    advice: 'Answer the dialog, or wait a few seconds, then try again.',
    retryable: true,
  },
)
