import { failure, type Failure, type StoredCreation } from '@contract'
import type { ReadyEnvironment } from '../../../environments/model/types'
import { type IncompleteReason, JournalError, UnreadableJournalError } from '../../../stored/journal'
import { isSentAlike, journalFailure } from '../attempts/open-attempts'

/** Why nothing was sent after an error. Reports the error unless the failure names it. */
export function notBegun(error: unknown, report: (error: unknown) => void): Failure {
  if (error instanceof UnreadableJournalError) return error.failure('nothing was sent')
  if (error instanceof JournalError) return journalFailure('nothing was sent')
  report(error)
  return failure('internal', 'Something went wrong inside Slipway, so nothing was sent.')
}

/** Slipway itself failed after the request was handed to the network, so its result is unknown. */
export const lostTrack = failure(
  'internal',
  'Something went wrong inside Slipway after the request was sent.',
  { sent: 'maybe' },
)

export function alreadyUnderWay(name: string): Failure {
  return failure('conflict', `"${name}" is already being created.`, {
    advice: 'Wait for the result, which Activity shows.',
  })
}

/**
 * An unconfirmed attempt blocks its name. The failure names the attempt, so that the operator can consent to sending
 * the name again.
 */
export function unconfirmedBefore(attempt: StoredCreation, environment: ReadyEnvironment): Failure {
  const { id, name, environmentId, environmentName } = attempt
  const isOwn = environmentId === environment.id
  const earlier = isOwn ? 'an earlier attempt' : `an attempt in "${environmentName}"`
  const message = `Creation of "${name}" is unconfirmed: ${earlier} may have created it.`
  return failure('attempt-unclear', message, {
    advice: isOwn ? checkAgain : `${whereSent(isSentAlike(attempt, environment))} ${checkAgain}`,
    attemptId: id,
  })
}

const checkAgain =
  "See what was found, and check again. Send it again only if you're sure that it isn't there."

/** Where another environment's attempt was sent; `isAlike` is null if it isn't known how it was sent. */
function whereSent(isAlike: boolean | null): string {
  if (isAlike) return 'It was sent to the same service.'
  const how =
    isAlike === null
      ? "the request headers, proxy and certificate rule aren't known"
      : 'with other request headers, or another proxy or certificate rule'
  return `It was sent to the same base URL, but ${how}. So it may be the same service, another service or another account.`
}

export function attemptChanged(name: string): Failure {
  return failure('attempt-changed', `The state of the earlier attempt to create "${name}" has changed.`, {
    advice: 'Nothing was sent. Check its current state.',
  })
}

/** @param place where the environment leads since it was edited */
export function createdElsewhere(name: string, place: 'another' | 'elsewhere'): Failure {
  if (place === 'another') {
    return failure(
      'other-service',
      `"${name}" was created with the environment's settings from before the edit.`,
      {
        advice:
          "It may be in this environment's list as well: look there before you create it again. Otherwise, set the " +
          'request headers, proxy and certificate rule back to see it.',
        sent: 'answered',
      },
    )
  }
  return failure(
    'other-service',
    `"${name}" was created at the service that this environment pointed to before.`,
    {
      advice:
        'The environment was edited before the answer arrived. To see the deployment, set its base URL, ' +
        'request headers, proxy and certificate rule back, or add an environment that leads there.',
      sent: 'answered',
    },
  )
}

export function createdUnread(name: string, reason: Failure): Failure {
  return {
    ...reason,
    message: `"${name}" was created, but it couldn't be read.`,
    advice: "Don't send it again: look for it in the list.",
    retryable: false,
    sent: 'answered',
  }
}

export function isTaken(name: string, reason: IncompleteReason): Failure {
  return failure('conflict', `"${name}" already exists, perhaps from an earlier attempt.`, {
    advice: adviceFor[reason],
  })
}

export function mayBeTaken(name: string, reason: IncompleteReason): Failure {
  return failure('conflict', `Slipway can't tell whether an earlier attempt created "${name}".`, {
    advice: adviceFor[reason],
  })
}

const adviceFor: Record<IncompleteReason, string> = {
  keychain:
    "The journal's key in the keychain can't be read, so Slipway can't tell what was created from this machine. " +
    'Unlock the keychain and try again, or choose another name.',
}
