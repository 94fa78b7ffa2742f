import { isDeepStrictEqual } from 'node:util'
import { cancelledFailure, fail, failure, type Failure, type Outcome, succeed } from '@contract'
import type { Environments, ReadyEnvironment } from './types'
import { accountIdentity } from './identity'
import type { HttpTarget } from '../http/client'

/**
 * Gives what is needed to call the service of an environment. It must be the current one, before and after the wait.
 * Failures: `environment-changed`, `cancelled`, the keychain's and `built-in-service`.
 */
export async function readyEnvironment(
  environments: Environments,
  id: string,
  signal: AbortSignal,
): Promise<Outcome<ReadyEnvironment>> {
  const isCurrent = (): boolean => environments.state().currentEnvironmentId === id
  if (!isCurrent()) return fail(environmentChangedFailure)
  const ready = await environments.ready(id, signal)
  if (!isCurrent()) return fail(environmentChangedFailure)
  if (signal.aborted) return fail(cancelledFailure)
  return ready
}

/**
 * Calls the service of an environment, which must be the current one. Gives the answer only if the environment still
 * leads to the service and the account that were called. It may have been edited meanwhile, and another service's
 * answer is never shown as this one's. Failures: those of `readyEnvironment` and of `ask`.
 */
export async function askService<Answer>(
  environments: Environments,
  id: string,
  signal: AbortSignal,
  ask: (target: HttpTarget) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  const ready = await readyEnvironment(environments, id, signal)
  if (!ready.ok) return ready
  const answer = await ask(ready.value.target)
  if (!answer.ok) return answer
  const now = await readyEnvironment(environments, id, signal)
  if (!now.ok) return now
  return isSameAccount(now.value, ready.value) ? answer : fail(environmentChangedFailure)
}

/** Why nothing is sent with settings from before an edit. */
const editedFailure: Failure = failure(
  'environment-changed',
  'The environment was edited in the meantime, so nothing was sent.',
  { advice: 'Check its settings, then create the deployment again if you still want it there.' },
)

/**
 * Checks that an environment hasn't changed in any setting since it was made ready, and is still the current one. Call
 * it before something is sent. Failures: those of `readyEnvironment`.
 */
export async function ensureUnchanged(
  environments: Environments,
  before: ReadyEnvironment,
  signal: AbortSignal,
): Promise<Outcome<null>> {
  const now = await readyEnvironment(environments, before.id, signal)
  if (!now.ok) return now
  return isDeepStrictEqual(now.value, before) ? succeed(null) : fail(editedFailure)
}

/**
 * Whether an environment was edited since and leads to another service or account, or leads there by another route. No
 * as long as that can't be read.
 */
export async function leadsElsewhere(environments: Environments, before: ReadyEnvironment): Promise<boolean> {
  const now = await environments.ready(before.id, new AbortController().signal)
  return now.ok && !isSameAccount(now.value, before)
}

const isSameAccount = (one: ReadyEnvironment, other: ReadyEnvironment): boolean =>
  accountIdentity(one.target) === accountIdentity(other.target)

export function notFound(): Failure {
  return failure('not-found', 'This environment no longer exists.', {
    advice: 'It was removed. Choose another one.',
  })
}

/** What was asked of a protected environment needs its name as typed. */
export function notConfirmed(name: string): Failure {
  return failure('confirmation-needed', `"${name}" is a protected environment.`, {
    advice: "Type the environment's name to confirm.",
  })
}

/** Why nothing may be changed at the service of an environment; null if it may. */
export function whyNotWritable(
  { name, readOnly, protected: isProtected }: { name: string; readOnly: boolean; protected: boolean },
  confirmedName: string | null,
): Failure | null {
  if (readOnly) {
    return failure('not-allowed', `"${name}" is read-only, so nothing was sent.`, {
      advice: 'Use another environment, or turn off "Read-only" under Environments.',
    })
  }
  return isProtected && confirmedName !== name ? notConfirmed(name) : null
}

/** The environment of a call is no longer the current one, or now leads elsewhere. */
export const environmentChangedFailure: Failure = failure(
  'environment-changed',
  'The environment was changed in the meantime.',
  { advice: 'If you still want to do this, do it again in the environment shown now.' },
)
