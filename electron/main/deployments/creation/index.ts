import { fail, type Failure, type ParsedCallInput } from '@contract'
import { readyEnvironment } from '../../environments/current-environment'
import { beginAttempt } from './begin'
import { whyNotSendable } from './check-request'
import { blockedByEarlier } from './consent'
import { answerFromEarlier } from './earlier'
import { alreadyUnderWay, notBegun } from './failures'
import { NameLocks } from './name-locks'
import { sendAttempt } from './send'
import type { Creation, CreationContext, CreationDrafts, CreationOutcome } from './types'

/**
 * Gives a function that creates a deployment (interface: Create a deployment), at most once. Failures: those of the call
 * `deployments.create`.
 */
export function createCreation(
  context: CreationContext,
  drafts: CreationDrafts,
): (input: ParsedCallInput<'deployments.create'>, signal: AbortSignal) => Promise<CreationOutcome> {
  const { environments, reconciler } = context
  const locks = new NameLocks()

  return async ({ environmentId, request, confirmedName, again: consent }, signal) => {
    // If Slipway ends before the answer comes, the next start knows that the draft was sent.
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
      // For the target that the request goes to, even if the environment is edited meanwhile.
      const filledIn = await drafts.fillIn(request, environment)
      if (!filledIn.ok) return filledIn
      // The user may have been asked, and may have left.
      if (signal.aborted) return fail(signal.reason as Failure)
      return await runCreation(context, { environment, request: filledIn.value, consent, signal })
    } finally {
      release()
    }
  }
}

/** The steps of a creation whose name is locked. Until `sendAttempt`, nothing has left. */
async function runCreation(context: CreationContext, creation: Creation): Promise<CreationOutcome> {
  let attempt
  try {
    const answer = await answerFromEarlier(context, creation)
    if (answer) return answer
    const blocked = await blockedByEarlier(context, creation)
    if (blocked) return fail(blocked)
    attempt = await beginAttempt(context, creation)
  } catch (error) {
    return fail(notBegun(error, context.report))
  }
  return attempt.ok ? await sendAttempt(context, creation, attempt.value) : attempt
}
