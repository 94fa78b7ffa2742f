import { randomBytes } from 'node:crypto'
import {
  deploymentsPath,
  fail,
  type Failure,
  type Outcome,
  type ReadDetail,
  succeed,
  urlCredentialTexts,
} from '@contract'
import { ensureUnchanged, leadsElsewhere } from '../../../environments/current-environment'
import { calledService } from '../../../environments/model/service-identity'
import { sentOf } from '../attempts/sent'
import { detailOf } from '../list/page'
import { readCreated } from './answer'
import { whyOutdated } from './consent'
import { createdElsewhere, isRefusal, lostTrack, notBegun, unconfirmed } from './failures'
import type { Creation, CreationContext, CreationOutcome } from './types'

const salt = randomBytes(32).toString('base64')

/** Writes an attempt to the journal, so that it is on disk before it leaves. Gives its identifier. */
export async function beginAttempt({ journal }: CreationContext, creation: Creation): Promise<string> {
  const { environment, request, consent } = creation
  const { name, source } = request
  // On disk before the attempt is, so that after a restart, too, a consent counts once.
  if (consent) await journal.noteSentAgain(consent.attemptId)
  return await journal.beginCreation(
    { environmentId: environment.id, environmentName: environment.name },
    { name, source, service: calledService(environment.target, salt), sent: sentOf(request) },
  )
}

/**
 * Sends an attempt and closes its journal entry. Connecting takes seconds, so all checks are repeated before the body
 * leaves. After that, nothing cancels it: to stop waiting wouldn't undo what the service does.
 */
export async function sendAttempt(
  context: CreationContext,
  creation: Creation,
  attemptId: string,
): Promise<CreationOutcome> {
  const { http, report } = context
  const { environment, request } = creation
  let heldBack = null as Failure | null
  const mayLeave = async (): Promise<boolean> => {
    heldBack = await whyHeldBack(context, creation).catch((error: unknown) => notBegun(error, report))
    return heldBack === null
  }
  try {
    const answer = await http.request({
      operation: { name: 'create-deployment' },
      target: environment.target,
      method: 'POST',
      path: deploymentsPath,
      body: request,
      secrets: [...request.secrets.map(({ value }) => value), ...urlCredentialTexts(request)],
      mayLeave,
    })
    const created = answer.ok ? await readCreated(context, creation, attemptId, answer.value) : answer
    return await endAttempt(context, creation, attemptId, heldBack ? fail(heldBack) : created)
  } catch (error) {
    report(error)
    return await endAttempt(context, creation, attemptId, fail(lostTrack))
  }
}

/** Why an attempt may not leave, with the failure's `sent: 'no'`; null if it may. Anything may have changed meanwhile. */
export async function whyHeldBack(context: CreationContext, creation: Creation): Promise<Failure | null> {
  const { environments, reconciler } = context
  const { environment, signal } = creation
  const unchanged = await ensureUnchanged(environments, environment, signal)
  const outdated = await whyOutdated(context, creation)
  if (signal.aborted) return signal.reason as Failure
  return reconciler.closed() ?? outdated ?? (unchanged.ok ? null : unchanged.failure)
}

/**
 * How a creation ended: refused only if the failure can only precede sending, or the service refused the request;
 * created if it answered so. Every other end is unconfirmed.
 */
async function endAttempt(
  { environments, journal, reconciler, report }: CreationContext,
  { environment, request }: Creation,
  attemptId: string,
  answered: Outcome<ReadDetail>,
): Promise<CreationOutcome> {
  if (!answered.ok) {
    const { failure } = answered
    const isRefused = isRefusal(failure)
    const reason = isRefused ? failure : unconfirmed(failure)
    await journal.endCreation(attemptId, { state: isRefused ? 'refused' : 'unclear', failure: reason })
    if (!isRefused) void reconciler.follow().catch(report)
    return fail(reason)
  }
  await journal.endCreation(attemptId, { state: 'created', deploymentId: answered.value.deployment.id })
  // A deployment of the former service is never shown as one of the new service.
  return (await leadsElsewhere(environments, environment))
    ? fail(createdElsewhere(request.name))
    : succeed(detailOf(environment.id, answered.value))
}
