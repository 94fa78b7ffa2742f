import { randomUUID } from 'node:crypto'
import {
  checkRequest,
  type CreateRequest,
  fail,
  type Failure,
  failure,
  type ParsedCallInput,
} from '@contract'
import { readyEnvironment } from '../../../environments/current-environment'
import { serviceIdentity } from '../../../environments/model/service-identity'
import { notConfirmed } from '../../../environments/model/failures'
import type { ReadyEnvironment } from '../../../environments/model/types'
import { blockedByEarlier } from './consent'
import { alreadyUnderWay, notBegun } from './failures'
import { beginAttempt, sendAttempt, whyHeldBack } from './send'
import type { Creation, CreationContext, CreationOutcome } from './types'

/**
 * Creates the function that creates a deployment (interface: Create a deployment), at most once. Failures: those of the
 * call `deployments.create`.
 */
export function createCreation(
  context: CreationContext,
): (input: ParsedCallInput<'deployments.create'>, signal: AbortSignal) => Promise<CreationOutcome> {
  const { environments, reconciler, drafts } = context
  const locks = new NameLocks()

  return async ({ environmentId, request, confirmedName, again: consent }, signal) => {
    // If Slipway ends before the answer arrives, the next start knows that the draft was sent.
    await drafts.settle()
    const closed = reconciler.closed()
    if (closed) return fail(closed)
    const ready = await readyEnvironment(environments, environmentId, signal)
    if (!ready.ok) return ready
    const environment = ready.value
    const release = locks.acquire(environment, request.name)
    if (release === null) return fail(alreadyUnderWay(request.name))
    try {
      const reason = whyNotSendable(request, confirmedName, environment)
      if (reason) return fail(reason)
      // Fills in for the target of this request, even if the environment is edited meanwhile.
      const filledIn = await drafts.fillIn(request, environment)
      if (!filledIn.ok) return filledIn
      return await runCreation(context, { environment, request: filledIn.value, consent, signal })
    } finally {
      release()
    }
  }
}

/** The steps of a creation whose name is locked. Nothing leaves before `sendAttempt`. */
async function runCreation(context: CreationContext, creation: Creation): Promise<CreationOutcome> {
  let attemptId
  try {
    // A dialog may have been open, and the operator may have closed the page.
    const reason = (await blockedByEarlier(context, creation)) ?? (await whyHeldBack(context, creation))
    if (reason) return fail(reason)
    attemptId = await beginAttempt(context, creation)
  } catch (error) {
    return fail(notBegun(error, context.report))
  }
  return await sendAttempt(context, creation, attemptId)
}

/**
 * Locks names during their creation, so that a double click never creates twice. A lock applies at the service, which
 * two environments may share, and in the environment, whose base URL or tenant may be edited meanwhile.
 */
class NameLocks {
  readonly #held = new Set<string>()
  readonly #salt = randomUUID()

  /** Locks a name. Gives the function that unlocks it, or null if it is already locked. */
  acquire({ id, target }: ReadyEnvironment, name: string): (() => void) | null {
    const keys = [serviceIdentity(target, this.#salt), id].map((place) => JSON.stringify([place, name]))
    if (keys.some((key) => this.#held.has(key))) return null
    for (const key of keys) this.#held.add(key)
    return () => {
      for (const key of keys) this.#held.delete(key)
    }
  }
}

/** Why a request may not leave: a read-only environment, a rule of the interface, or an unconfirmed protected one. */
function whyNotSendable(
  request: CreateRequest,
  confirmedName: string | null,
  environment: ReadyEnvironment,
): Failure | null {
  if (environment.readOnly) {
    return failure('not-allowed', `"${environment.name}" is read-only, so nothing was sent.`, {
      advice: 'Create it in another environment, or turn off "Read-only" under Environments.',
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
    return notConfirmed(environment.name)
  }
  return null
}
