import { type DeploymentDetail, type Failure, fail, isNameTaken, type Outcome } from '@contract'
import type { CreationEnd } from '../../journal'

/**
 * Statuses with which a service, or a gateway that passes nothing on, says that it does not create what it was asked for.
 * Even so a gateway may have sent the request twice, and this be the answer to the second copy: `refusal.ts` has the
 * rule. Not among them are
 * - those that something in front of the service gives, perhaps after it has passed the request on: 408, 425, 499 and
 *   every 5xx, and redirects, which may lead to a login page or stand for "done" (303);
 * - 406 and 412, which may be about the answer to something that was done;
 * - whatever else is not known to be a refusal of a creation.
 */
const refusing: readonly number[] = [
  400, 401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 422, 429, 431,
]

/** Statuses with which a deployment was created, where the body has it. */
const creating: readonly number[] = [200, 201, 202]

const unconfirmedAdvice =
  'It is not known whether the deployment was created. Slipway looks for it in the list.'

const takenAdvice =
  `${unconfirmedAdvice} If it never appears, the tracing project of an earlier deployment may hold the name: ` +
  'then choose another one.'

/** Whether a status says that the deployment in the body was created. */
export const isCreating = (status: number): boolean => creating.includes(status)

/** Whether a creation was sent, and refused by what answered. */
export const isRefusal = ({ sent, status }: Failure): boolean =>
  sent === 'answered' && status !== null && refusing.includes(status)

/**
 * Whether the service has accepted a creation, or sent it on, as far as its status says. Where the list does not have
 * the name, it may be there under a form of it that the service prefers, or be made still: that is never an absence.
 */
export const mayBeAccepted = ({ sent, status }: Failure): boolean =>
  sent === 'answered' && status !== null && status < 400

/**
 * How a creation ended as its answer says. It is refused only where the request did not leave, or the service itself has
 * said so, which the list may still contradict; every other end is unconfirmed.
 */
export function endOf(outcome: Outcome<DeploymentDetail>): CreationEnd {
  if (outcome.ok) return { state: 'created', deploymentId: outcome.value.deployment.id }
  const { failure } = outcome
  return failure.sent === 'no' || isRefusal(failure)
    ? { state: 'refused', failure }
    : { state: 'unclear', failure: unconfirmed(failure) }
}

/** The outcome of a creation as it is told: an unconfirmed one is not to be tried again. */
export function told(outcome: Outcome<DeploymentDetail>, end: CreationEnd): Outcome<DeploymentDetail> {
  return end.state === 'unclear' ? fail(end.failure) : outcome
}

/** The failure of a creation that may have happened: what to know, and no offer to try it again. */
export function unconfirmed(failure: Failure): Failure {
  const advice = isNameTaken(failure) ? takenAdvice : unconfirmedAdvice
  return { ...failure, advice, retryable: false }
}
