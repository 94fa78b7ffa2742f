import { type Failure, foundIn, isAlike, isUnconfirmed, type StoredCreation } from '@contract'
import { adoptAttempts, blockingAt, findAttempt } from '../attempts/known'
import { listNamed } from '../list/find-by-name'
import { attemptChanged, isTaken, mayBeTaken, unconfirmedBefore } from './failures'
import type { Creation, CreationContext } from './types'

/**
 * Why earlier attempts block a name: one is unconfirmed and the operator hasn't consented to sending the name again, or
 * the journal is incomplete and the service may have the name. Null if none does.
 */
export async function blockedByEarlier(
  context: CreationContext,
  creation: Creation,
): Promise<Failure | null> {
  // Asked first: an attempt that is read only afterwards, because the keychain answers meanwhile, still counts as missing.
  const isIncomplete = await context.journal.isIncomplete()
  const blocked = await blockedByAttempt(context, creation)
  if (blocked || !isIncomplete) return blocked
  // Attempts may have become readable while the service answered.
  return (await blockedByService(context, creation)) ?? (await blockedByAttempt(context, creation))
}

async function blockedByAttempt(context: CreationContext, creation: Creation): Promise<Failure | null> {
  const { environments, journal, reconciler } = context
  const { environment, request, consent, signal } = creation
  await adoptAttempts(journal, environments, environment)
  const blocking = await blockingAt(journal, environment, request.name)
  if (!blocking) return consent ? attemptChanged(request.name) : null
  if (consent?.attemptId !== blocking.id) return unconfirmedBefore(blocking, environment)
  // A call that is repeated, by mistake or not, isn't another consent.
  if (consent.sentAgain !== blocking.sentAgain) return attemptChanged(request.name)
  // If the service doesn't answer, the operator's consent still counts.
  await reconciler.lookUp(environment.id, blocking.id, signal)
  const now = await findAttempt(journal, blocking.id)
  if (idsIn(now) !== idsIn(blocking)) return attemptChanged(request.name)
  return await whyOutdated(context, creation)
}

/** The deployments that were found for an attempt. */
const idsIn = (attempt: StoredCreation | null): string =>
  (attempt?.lookup ? foundIn(attempt.lookup) : [])
    .map(({ id }) => id)
    .sort()
    .join()

/**
 * Why the operator's consent is outdated: more is known of the attempt by now. Null if it isn't outdated, or wasn't
 * needed.
 */
export async function whyOutdated(
  { journal }: CreationContext,
  { request, consent }: Creation,
): Promise<Failure | null> {
  if (!consent) return null
  const attempt = await findAttempt(journal, consent.attemptId)
  const found = attempt?.lookup?.deployment?.id ?? null
  const holds = attempt && isUnconfirmed(attempt) && found === consent.deploymentId
  return holds ? null : attemptChanged(request.name)
}

/** Why a name may not be sent while the journal is incomplete: the service has it, may have it, or doesn't answer. */
async function blockedByService(
  { http }: CreationContext,
  { environment, request: { name }, signal }: Creation,
): Promise<Failure | null> {
  const listed = await listNamed(http, environment.target, name, signal)
  if (!listed.ok) return listed.failure
  const { deployments, complete, unreadable } = listed.value
  if (deployments.some((deployment) => deployment.name === name)) return isTaken(name)
  const isFree = complete && unreadable === 0 && !deployments.some((one) => isAlike(one.name, name))
  return isFree ? null : mayBeTaken(name)
}
