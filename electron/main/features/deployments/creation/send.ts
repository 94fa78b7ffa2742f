import {
  type Deployment,
  deploymentsPath,
  fail,
  failure,
  type Failure,
  type Fingerprint,
  type Outcome,
  pageLimits,
  type ReadDetail,
  type StoredCreation,
  succeed,
  urlCredentialTexts,
} from '@contract'
import { sleep } from '../../../async'
import { ensureUnchanged, whereItLeads } from '../../../environments/current-environment'
import type { HttpAnswer } from '../../../http/types'
import type { Journal } from '../../../stored/journal'
import { endOf, isCreating, isRefusal } from '../attempts/creation-end'
import { contradictsVariablesOf, fingerprintOf } from '../attempts/fingerprint'
import { clockOf, isAnother } from '../attempts/match-attempt'
import { attemptsBefore, createdIds } from '../attempts/open-attempts'
import { identitiesOf } from '../attempts/sent-to'
import { readAnswer } from '../../../processes/answers'
import { detailOf, listPage, queryForId } from '../list/page'
import type { AttemptStart } from '../reconcile'
import { whyOutdated } from './consent'
import { createdElsewhere, lostTrack, notBegun } from './failures'
import { settleRefusal } from './refused'
import type { Creation, CreationContext, CreationOutcome } from './types'

/** An attempt that is in the journal and may be sent. */
interface Attempt {
  id: string
  /** By this machine's clock (ISO 8601). */
  startedAt: string
  start: AttemptStart
  fingerprint: Fingerprint
  /** Identifiers of deployments that earlier attempts created. */
  createdBefore: ReadonlySet<string>
}

/**
 * Writes an attempt to the journal, so that it is on disk before it leaves. Fails if it may not leave after all: the
 * call was cancelled, Slipway quits, the environment was edited, or the operator's consent is outdated.
 */
export async function beginAttempt(context: CreationContext, creation: Creation): Promise<Outcome<Attempt>> {
  const { environments, journal, reconciler } = context
  const { environment, consent, signal } = creation
  const attempts = await journal.creations()
  const unchanged = await ensureUnchanged(environments, environment, signal)
  if (!unchanged.ok) return unchanged
  const start = reconciler.readClocks(environment.target)
  // On disk before the attempt is, so that after a restart, too, a consent counts once.
  if (consent) await journal.noteSentAgain(consent.attemptId)
  const attempt = await writeAttempt(context, creation, attempts, start)
  reconciler.noteStart(attempt.id, start)
  const reason = await whyHeldBack(context, creation)
  return reason ? await holdBack(journal, attempt.id, reason) : succeed(attempt)
}

async function writeAttempt(
  { journal }: CreationContext,
  { environment, request }: Creation,
  attempts: readonly StoredCreation[],
  start: AttemptStart,
): Promise<Attempt> {
  const { id: environmentId, name: environmentName } = environment
  const { name, source } = request
  const startedAt = new Date().toISOString()
  const fingerprint = fingerprintOf(request)
  const id = await journal.beginCreation(
    { environmentId, environmentName },
    {
      name,
      source,
      ...identitiesOf(environment, fingerprint),
      before: attemptsBefore(attempts, environment, name),
      startedAtService: start.startedAtService,
    },
  )
  const { known, perhaps } = createdIds(attempts, environment, name)
  return { id, startedAt, start, fingerprint, createdBefore: new Set([...known, ...perhaps]) }
}

/**
 * Sends an attempt and closes its journal entry. Connecting takes seconds, so all checks are repeated before the body
 * leaves. After that, nothing cancels it: to stop waiting wouldn't undo what the service does.
 */
export async function sendAttempt(
  context: CreationContext,
  creation: Creation,
  attempt: Attempt,
): Promise<CreationOutcome> {
  const { http, journal, report } = context
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
      secrets: [...request.secrets.map(({ value }) => value), ...urlCredentialTexts(request)],
      mayLeave,
    })
    if (heldBack) return await holdBack(journal, attempt.id, heldBack)
    if (!answer.ok && isRefusal(answer.failure))
      return await settleRefusal(context, creation, attempt.id, answer.failure)
    const answered = answer.ok ? await readCreated(context, creation, attempt, answer.value) : answer
    return await endAttempt(context, creation, attempt.id, answered)
  } catch (error) {
    report(error)
    return await endAttempt(context, creation, attempt.id, fail(lostTrack))
  }
}

/** Why an attempt in the journal may not leave; null if it may. Anything may have changed while it was written. */
async function whyHeldBack(context: CreationContext, creation: Creation): Promise<Failure | null> {
  const { environments, reconciler, report } = context
  const { environment, signal } = creation
  try {
    const unchanged = await ensureUnchanged(environments, environment, signal)
    const outdated = await whyOutdated(context, creation)
    if (signal.aborted) return signal.reason as Failure
    return reconciler.closed() ?? outdated ?? (unchanged.ok ? null : unchanged.failure)
  } catch (error) {
    return notBegun(error, report)
  }
}

/** Closes the journal's entry of an attempt that didn't leave. */
async function holdBack(journal: Journal, attemptId: string, reason: Failure): Promise<Outcome<never>> {
  await journal.endCreation(attemptId, { state: 'refused', failure: reason, heldBack: true })
  return fail(reason)
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
  // A deployment of the former service is never shown as one of the new service.
  const place = answered.ok ? await whereItLeads(environments, environment) : 'same'
  return place === 'same' ? answered : fail(createdElsewhere(request.name, place))
}

/**
 * Reads the answer to a creation. It must contain the new deployment, with its name, and not one that is known to be
 * another; or its identifier, under which the list has a deployment with the name.
 */
async function readCreated(
  { http }: CreationContext,
  creation: Creation,
  attempt: Attempt,
  answer: HttpAnswer,
): Promise<CreationOutcome> {
  const { environment, request } = creation
  const { status } = answer
  const notCreated = (what = 'not with the new deployment'): Failure =>
    failure('unreadable-answer', `The service answered ${status}, but ${what}.`, { status, sent: 'answered' })
  const read = await readAnswer(answer, { kind: 'detail' }, () => notCreated())
  const listed = read.ok || !isCreating(status) ? null : await findAnswered(http, creation, answer)
  if (listed && !attempt.createdBefore.has(listed.deployment.id))
    return succeed(detailOf(environment.id, listed))
  // Whatever is wrong with the answer, sending again would be another creation.
  if (!read.ok) return fail({ ...read.failure, retryable: false })
  const { deployment } = read.value
  if (deployment.name !== request.name || !isCreating(status)) return fail(notCreated())
  if (isAnothers(creation, attempt, deployment, answer))
    return fail(notCreated("with a deployment that doesn't seem to be the new one"))
  return succeed(detailOf(environment.id, read.value))
}

/** The waits before the list is read for a deployment that was just created, in milliseconds. */
const listedAfterMs = [0, 1_000, 3_000] as const

/** Reads from the list the deployment whose identifier alone was answered; null if it isn't there yet. */
async function findAnswered(
  http: CreationContext['http'],
  { environment, request }: Creation,
  answer: HttpAnswer,
): Promise<ReadDetail | null> {
  const read = await readAnswer(answer, { kind: 'identifier' }, () => lostTrack)
  const id = (read.ok ? read.value : null) ?? lastSegment(answer.location ?? '')
  if (!id) return null
  const byName = new URLSearchParams({ name_contains: request.name, limit: String(pageLimits.max) })
  for (const waitMs of listedAfterMs) {
    const signal = AbortSignal.timeout(waitMs + 15_000)
    await sleep(waitMs, signal)
    for (const query of [queryForId(id), byName]) {
      const job = { kind: 'found', limit: pageLimits.max, id } as const
      const found = await listPage(http, environment.target, query, signal, job)
      const detail = found.ok ? found.value.value.detail : null
      if (detail?.deployment.name === request.name) return detail
    }
  }
  return null
}

/** The end of an address's path. */
function lastSegment(location: string): string | undefined {
  const path = location.replace(/[?#].*$/s, '').replace(/\/+$/, '')
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return undefined
  }
}

/** Whether a deployment that was answered as the new one is known to be another. */
function isAnothers(
  { request }: Creation,
  { startedAt, start, fingerprint, createdBefore }: Attempt,
  deployment: Deployment,
  { date, status }: HttpAnswer,
): boolean {
  const { startedAtService } = start
  const about = { name: request.name, startedAt, startedAtService, fingerprint, serviceIdentity: null }
  return (
    createdBefore.has(deployment.id) ||
    contradictsVariablesOf(request, deployment) ||
    isAnother({ ...about, isSteady: start.isSteady() }, deployment, clockOf(date, Date.now()), status)
  )
}
