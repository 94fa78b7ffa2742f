import { fail, type Failure, succeed } from '@contract'
import { whereItLeads } from '../../environments/current-environment'
import { unconfirmed } from '../attempts/creation-end'
import { findAttempt } from './consent'
import { answerWithEarlier, readOwn } from './earlier'
import { createdElsewhere, createdUnread } from './failures'
import type { Creation, CreationContext, CreationOutcome } from './types'

/**
 * Settles an attempt that was refused. The refusal may show that an earlier request was accepted: the attempt before, or
 * this one, sent twice by a gateway. The list says which, or leaves it open.
 */
export async function settleRefusal(
  context: CreationContext,
  creation: Creation,
  attemptId: string,
  refusal: Failure,
): Promise<CreationOutcome> {
  const { journal, reconciler, report } = context
  const { environment, consent, signal } = creation
  // The earlier attempt first: what it created isn't this one's.
  const sent = consent && ((await findAttempt(journal, consent.attemptId))?.fingerprint ?? null)
  const earlier = consent && (await reconciler.lookUp(environment.id, consent.attemptId, signal))
  const { state, lookup, lookFailure } = await reconciler.lookUpAfterRefusal(
    environment.id,
    attemptId,
    refusal,
    signal,
  )
  const found = lookup?.deployment ?? null
  if (state === 'created' && found) {
    await journal.endCreation(attemptId, { state, deploymentId: found.id })
    return await readCreatedAfterAll(context, creation, found.id)
  }
  if (state === 'refused') {
    await journal.endCreation(attemptId, { state, failure: refusal })
    const deploymentId = earlier?.ok ? earlier.value.deploymentId : null
    return deploymentId === null
      ? fail(refusal)
      : await answerWithEarlier(context, creation, { deploymentId, sent }, refusal)
  }
  await journal.endCreation(attemptId, { state: 'unclear', failure: refusal })
  await journal.noteLookup(attemptId, { lookup: lookup ?? undefined, lookFailure })
  void reconciler.follow().catch(report)
  return fail(unconfirmed(refusal))
}

/** Reads what the attempt created. It is created even if it can't be read. */
async function readCreatedAfterAll(
  context: CreationContext,
  creation: Creation,
  deploymentId: string,
): Promise<CreationOutcome> {
  const { name } = creation.request
  const created = await readOwn(context, creation, deploymentId)
  if (created.ok) return succeed(created.value.value)
  const place = await whereItLeads(context.environments, creation.environment)
  return fail(place === 'same' ? createdUnread(name, created.failure) : createdElsewhere(name, place))
}
