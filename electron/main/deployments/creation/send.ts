import { type Deployment, deploymentsPath, fail, failure, type Failure, succeed } from '@contract'
import { whereItLeads } from '../../environments/current-environment'
import type { HttpAnswer } from '../../http/types'
import { endOf, isCreating, isRefusal } from '../attempts/creation-end'
import { contradictsVariablesOf } from '../attempts/fingerprint'
import { clockOf, isAnother } from '../attempts/match-attempt'
import { detailOf, readTwice } from '../list/page'
import { whyHeldBack } from './begin'
import { createdElsewhere, lostTrack } from './failures'
import { settleRefusal } from './refused'
import type { Attempt, Creation, CreationContext, CreationOutcome } from './types'

/**
 * Sends an attempt and closes its journal entry. Connecting takes seconds, so what may hold an attempt back is asked once
 * more before its body leaves. From there on nothing cancels it: no longer waiting wouldn't undo what the service does.
 */
export async function sendAttempt(
  context: CreationContext,
  creation: Creation,
  attempt: Attempt,
): Promise<CreationOutcome> {
  const { http, report } = context
  const { environment, request } = creation
  let heldBack = null as Failure | null
  const mayLeave = async (): Promise<boolean> => {
    heldBack = await whyHeldBack(context, creation)
    return heldBack === null
  }
  try {
    const answer = await http.request({
      operation: { name: 'create-deployment' },
      target: environment.target,
      method: 'POST',
      path: deploymentsPath,
      body: request,
      secrets: request.secrets.map(({ value }) => value),
      mayLeave,
    })
    if (heldBack) {
      await context.journal.endCreation(attempt.id, { state: 'refused', failure: heldBack, heldBack: true })
      return fail(heldBack)
    }
    if (!answer.ok && isRefusal(answer.failure))
      return await settleRefusal(context, creation, attempt.id, answer.failure)
    const answered = answer.ok ? await readCreated(creation, attempt, answer.value) : answer
    return await endAttempt(context, creation, attempt.id, answered)
  } catch (error) {
    report(error)
    return await endAttempt(context, creation, attempt.id, fail(lostTrack))
  }
}

async function endAttempt(
  { environments, journal, reconciler, report }: CreationContext,
  { environment, request }: Creation,
  attemptId: string,
  answered: CreationOutcome,
): Promise<CreationOutcome> {
  const end = endOf(answered)
  await journal.endCreation(attemptId, end)
  if (end.state === 'unclear') {
    void reconciler.follow().catch(report)
    return fail(end.failure)
  }
  // A deployment of the old service is never shown as the new one's.
  const place = answered.ok ? await whereItLeads(environments, environment) : 'same'
  return place === 'same' ? answered : fail(createdElsewhere(request.name, place))
}

/** Reads the answer to a creation. It must be the new deployment, under its name, and none that is known to be another. */
async function readCreated(
  creation: Creation,
  attempt: Attempt,
  answer: HttpAnswer,
): Promise<CreationOutcome> {
  const { environment, request } = creation
  const { status } = answer
  const notCreated = (what = 'not with the new deployment'): Failure =>
    failure('unreadable-answer', `The service answered ${status}, but ${what}.`, { status, sent: 'answered' })
  const read = await readTwice(answer, { kind: 'detail' }, () => notCreated())
  // Whatever is wrong with the answer, a retry would be another creation.
  if (!read.ok) return fail({ ...read.failure, retryable: false })
  const { value, unmasked } = read.value
  const { deployment } = unmasked
  // An identifier that contains a credential can't be stored.
  const isNamed = deployment.name === request.name && deployment.id === value.deployment.id
  if (!isNamed || !isCreating(status)) return fail(notCreated())
  if (isAnothers(creation, attempt, deployment, answer.date))
    return fail(notCreated("with a deployment that doesn't seem to be the new one"))
  return succeed(detailOf(environment.id, value))
}

/** Whether a deployment that was answered as the new one is known to be another. */
function isAnothers(
  { request }: Creation,
  { startedAt, start, fingerprint, createdBefore }: Attempt,
  deployment: Deployment,
  date: HttpAnswer['date'],
): boolean {
  const { startedAtService } = start
  const about = { name: request.name, startedAt, startedAtService, fingerprint, serviceIdentity: null }
  return (
    createdBefore.has(deployment.id) ||
    contradictsVariablesOf(request, deployment) ||
    isAnother({ ...about, isSteady: start.isSteady() }, deployment, clockOf(date, Date.now()))
  )
}
