import { failure, type Failure, isNameTaken, type StoredCreation } from '@contract'
import type { ReadyEnvironment } from '../../environments/types'
import { JournalError, UnreadableJournalError } from '../../stored/journal'
import { journalFailure } from './reconciler'

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
    advice: `${isOwn ? '' : 'It was sent to the same service. '}See what was found, and check again. Send it again only if you're sure that it isn't there.`,
    attemptId: id,
  })
}

export function attemptChanged(name: string): Failure {
  return failure('attempt-changed', `The state of the earlier attempt to create "${name}" has changed.`, {
    advice: 'Nothing was sent. Check its current state.',
  })
}

export const createdElsewhere = (name: string): Failure =>
  failure('other-service', `"${name}" was created with the environment's settings from before the edit.`, {
    advice:
      'The environment was edited before the answer arrived. To see the deployment, set its base URL, ' +
      'request headers, proxy and certificate rule back, or add an environment that leads there.',
    sent: 'answered',
  })

export function isTaken(name: string): Failure {
  return failure('conflict', `"${name}" already exists, perhaps from an earlier attempt.`, {
    advice: unlockAdvice,
  })
}

export function mayBeTaken(name: string): Failure {
  return failure('conflict', `Slipway can't tell whether an earlier attempt created "${name}".`, {
    advice: unlockAdvice,
  })
}

const unlockAdvice =
  "The journal's key in the keychain can't be read, so Slipway can't tell what was created from this machine. " +
  'Unlock the keychain and try again, or choose another name.'

const unconfirmedAdvice = 'The creation is unconfirmed. Slipway looks for the deployment in the list.'

const takenAdvice =
  `${unconfirmedAdvice} If it never appears, the tracing project of an earlier deployment may hold the name: ` +
  'then choose another one.'

/** The failure of a creation that may have happened: it says so, and doesn't offer to try again. */
export function unconfirmed(reason: Failure): Failure {
  const advice = isNameTaken(reason) ? takenAdvice : unconfirmedAdvice
  return { ...reason, advice, retryable: false }
}

/**
 * Statuses that may concern another copy of the request, which a gateway sent before, or a request that was forwarded
 * all the same: 408 Request Timeout, 409 Conflict, 429 Too Many Requests.
 */
const doubtful: readonly number[] = [408, 409, 429]

/** Whether a failure shows that nothing was done: it can only precede sending, or the service refused the request. */
export const isRefusal = ({ sent, status }: Failure): boolean =>
  sent === 'no' ||
  (sent === 'answered' && status !== null && status >= 400 && status < 500 && !doubtful.includes(status))
