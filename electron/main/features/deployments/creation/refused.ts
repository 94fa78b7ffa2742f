import {
  type CreateRequest,
  type Deployment,
  type DeploymentDetail,
  fail,
  type Failure,
  failure,
  type Fingerprint,
  type Outcome,
  succeed,
} from '@contract'
import { leadsElsewhere, whereItLeads } from '../../../environments/current-environment'
import { environmentChangedFailure } from '../../../environments/model/failures'
import { unconfirmed } from '../attempts/creation-end'
import { compare, fingerprintOf, hasVariablesOf, isSameRequest } from '../attempts/fingerprint'
import { findAttempt } from '../attempts/open-attempts'
import { findDeployment } from '../list/page'
import type { EarlierCreation } from '../reconcile'
import { createdElsewhere, createdUnread } from './failures'
import type { Creation, CreationContext, CreationOutcome } from './types'

/** The answer to a creation that a refused earlier attempt has carried out after all; null if none has. */
export async function answerFromEarlier(
  context: CreationContext,
  creation: Creation,
): Promise<CreationOutcome | null> {
  const { environment, request, signal } = creation
  const earlier = await context.reconciler.reviewRefused(environment, request.name, signal)
  if (!earlier.ok) return earlier
  return earlier.value && (await answerWithEarlier(context, creation, earlier.value, existsAlready))
}

const existsAlready = failure('conflict', 'It already exists.')

/**
 * Settles an attempt that was refused. The refusal may mean that an earlier request was accepted: an earlier attempt,
 * or this one if a gateway sent it twice. The list shows which, or leaves it open.
 */
export async function settleRefusal(
  context: CreationContext,
  creation: Creation,
  attemptId: string,
  refusal: Failure,
): Promise<CreationOutcome> {
  const { journal, reconciler, report } = context
  const { environment, consent, signal } = creation
  // The earlier attempt comes first: what it created isn't this one's.
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

/** Reads what the attempt created. The attempt counts as created even if that can't be read. */
async function readCreatedAfterAll(
  context: CreationContext,
  creation: Creation,
  deploymentId: string,
): Promise<CreationOutcome> {
  const { name } = creation.request
  const created = await readOwn(context, creation, deploymentId)
  if (created.ok) return succeed(created.value)
  const place = await whereItLeads(context.environments, creation.environment)
  return fail(place === 'same' ? createdUnread(name, created.failure) : createdElsewhere(name, place))
}

/**
 * Answers a creation that an earlier attempt has carried out. If the deployment is what was requested now, it is the
 * answer. Otherwise the refusal is, and says so.
 */
async function answerWithEarlier(
  context: CreationContext,
  creation: Creation,
  { deploymentId, sent }: EarlierCreation,
  refusal: Failure,
): Promise<CreationOutcome> {
  const { request } = creation
  const created = await readOwn(context, creation, deploymentId)
  if (created.ok && isRequested(request, sent, created.value.deployment)) return succeed(created.value)
  return fail({
    ...refusal,
    message: `"${request.name}" already exists: the earlier attempt created it.`,
    advice: created.ok
      ? 'Nothing was created twice. This request differs from it: choose another name.'
      : "Nothing was created twice. It couldn't be read: check in the list whether it is what you want.",
  })
}

/**
 * Reads a deployment that an attempt created at the environment's service, but not another service's with the same
 * identifier. An error becomes a failure: it says nothing about what was created.
 */
async function readOwn(
  context: CreationContext,
  { environment, signal }: Creation,
  id: string,
): Promise<Outcome<DeploymentDetail>> {
  const found = await findDeployment(context, environment.id, id, signal).catch((error: unknown) => {
    context.report(error)
    return fail(failure('internal', 'Something went wrong inside Slipway.'))
  })
  if (found.ok && (await leadsElsewhere(context.environments, environment)))
    return fail(environmentChangedFailure)
  return found
}

/**
 * Whether a deployment has everything that is requested now, and nothing that only the earlier attempt sent, as far as
 * that can be compared.
 */
function isRequested(request: CreateRequest, sent: Fingerprint | null, deployment: Deployment): boolean {
  if (sent === null || !isSameRequest(request, sent)) return false
  const { differences } = compare(fingerprintOf(request), deployment)
  return differences.length === 0 && hasVariablesOf(request, deployment)
}
