import { checkRequest, type CreateRequest, failure, type Failure } from '@contract'
import type { ReadyEnvironment } from '../../environments/model/types'
import { comparableLimits, isComparable } from '../attempts/fingerprint'

/** Why a request may not leave: its size, a rule of the interface, or an unconfirmed protected environment. Or null. */
export function whyNotSendable(
  request: CreateRequest,
  confirmedName: string | null,
  environment: ReadyEnvironment,
): Failure | null {
  if (!isComparable(request)) {
    return failure('invalid-input', 'This deployment has more values than Slipway can send.', {
      advice: `Use at most ${comparableLimits.values} values in at most ${comparableLimits.levels} levels.`,
    })
  }
  const issues = checkRequest(request, environment.mode)
    .filter(({ level }) => level === 'certain')
    .map(({ path, message }) => ({ path, message }))
  if (issues.length > 0) {
    return failure('invalid-input', "This deployment can't be created in this environment.", {
      advice: 'Fix the fields below and try again.',
      issues,
    })
  }
  if (environment.protected && confirmedName !== environment.name) {
    return failure('confirmation-needed', `"${environment.name}" is a protected environment.`, {
      advice: "Type the environment's name to confirm.",
    })
  }
  return null
}
