import { type DeploymentDetail, type Failure, isNameTaken, type Outcome } from '@contract'
import type { CreationEnd } from '../../../stored/journal'

/**
 * Statuses with which a service refuses a creation, or a gateway that doesn't forward it. A gateway may still have sent
 * the request twice and answered the second one: `refusal.ts` has the rule. Not in the list:
 * - those of something in front of the service, which may have forwarded the request: 408, 425, 499, every 5xx, and
 *   redirects, which may lead to a login page or mean "done" (303);
 * - 406 and 412, which may concern the answer to a request that was carried out;
 * - any other status that isn't known to refuse a creation.
 */
const refusing: readonly number[] = [
  400, 401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 422, 429, 431,
]

/** Statuses that mean that the deployment in the body was created. */
const creating: readonly number[] = [200, 201, 202, 204]

const unconfirmedAdvice = 'The creation is unconfirmed. Slipway looks for the deployment in the list.'

const takenAdvice =
  `${unconfirmedAdvice} If it never appears, the tracing project of an earlier deployment may hold the name: ` +
  'then choose another one.'

/** Whether a status says that the deployment in the body was created. */
export const isCreating = (status: number): boolean => creating.includes(status)

/** Whether a creation was sent and the answer refused it. */
export const isRefusal = ({ sent, status }: Failure): boolean =>
  sent === 'answered' && status !== null && refusing.includes(status)

/**
 * Whether the status says that the service may have accepted a creation, or forwarded it. Such a creation never counts
 * as absent: it may be listed later, or under another form of its name.
 */
export const mayBeAccepted = ({ sent, status }: Failure): boolean =>
  sent === 'answered' && status !== null && status < 400

/**
 * How a creation ended, by its answer. It is refused only if the request didn't leave or the service said so. The list
 * may still contradict that. Every other end is unconfirmed.
 */
export function endOf(outcome: Outcome<DeploymentDetail>): CreationEnd {
  if (outcome.ok) return { state: 'created', deploymentId: outcome.value.deployment.id }
  const { failure } = outcome
  return failure.sent === 'no' || isRefusal(failure)
    ? { state: 'refused', failure }
    : { state: 'unclear', failure: unconfirmed(failure) }
}

/** The failure of a creation that may have happened: it says so, and doesn't offer to try again. */
export function unconfirmed(failure: Failure): Failure {
  const advice = isNameTaken(failure) ? takenAdvice : unconfirmedAdvice
  return { ...failure, advice, retryable: false }
}
