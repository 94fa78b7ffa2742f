import { fail, type Failure, type Outcome, type StoredCreation, succeed } from '@contract'
import { stillAsAsked } from '../../environments/current-environment'
import { headersIdentity, routeIdentity, serviceIdentity } from '../../environments/model/service-identity'
import { fingerprintOf } from '../attempts/fingerprint'
import { attemptsBefore, createdIds } from '../attempts/open-attempts'
import type { AttemptStart } from '../reconcile'
import { whyOutdated } from './consent'
import { notBegun } from './failures'
import type { Attempt, Creation, CreationContext } from './types'

/**
 * Writes an attempt to the journal, so that it is on disk before it leaves. Fails if it may not leave after all: the call
 * was cancelled, Slipway quits, the environment was edited, or the user's consent is outdated.
 */
export async function beginAttempt(context: CreationContext, creation: Creation): Promise<Outcome<Attempt>> {
  const { environments, journal, reconciler } = context
  const { environment, signal } = creation
  const attempts = await journal.creations()
  const unchanged = await stillAsAsked(environments, environment, signal)
  if (!unchanged.ok) return unchanged
  const start = reconciler.readClocks(environment.target)
  const attempt = await writeAttempt(context, creation, attempts, start)
  reconciler.noteStart(attempt.id, start)
  const reason = await whyHeldBack(context, creation)
  if (!reason) return succeed(attempt)
  await journal.endCreation(attempt.id, { state: 'refused', failure: reason, heldBack: true })
  return fail(reason)
}

async function writeAttempt(
  { journal }: CreationContext,
  { environment, request }: Creation,
  attempts: readonly StoredCreation[],
  start: AttemptStart,
): Promise<Attempt> {
  const { id: environmentId, name: environmentName, target } = environment
  const { name, source } = request
  const startedAt = new Date().toISOString()
  const fingerprint = fingerprintOf(request)
  const id = await journal.beginCreation(
    { environmentId, environmentName },
    {
      name,
      source,
      fingerprint,
      serviceIdentity: serviceIdentity(target, fingerprint.salt),
      headersIdentity: headersIdentity(target, fingerprint.salt),
      routeIdentity: routeIdentity(target, fingerprint.salt),
      before: attemptsBefore(attempts, environment, name),
      startedAtService: start.startedAtService,
    },
  )
  const { known, perhaps } = createdIds(attempts, environment, name)
  return { id, startedAt, start, fingerprint, createdBefore: new Set([...known, ...perhaps]) }
}

/** Why an attempt may not leave that has been written, during which anything may have changed. Null if it may. */
export const whyHeldBack = (context: CreationContext, creation: Creation): Promise<Failure | null> =>
  findReason(context, creation).catch((error: unknown) => notBegun(error, context.report))

async function findReason(context: CreationContext, creation: Creation): Promise<Failure | null> {
  const { environments, reconciler } = context
  const { environment, signal } = creation
  const unchanged = await stillAsAsked(environments, environment, signal)
  const outdated = await whyOutdated(context, creation)
  if (signal.aborted) return signal.reason as Failure
  return reconciler.closed() ?? outdated ?? (unchanged.ok ? null : unchanged.failure)
}
