import { type Failure, isAlike, isUnconfirmed, type StoredCreation } from '@contract'
import type { ReadyEnvironment } from '../../../environments/model/types'
import type { IncompleteReason, Journal } from '../../../stored/journal'
import {
  adoptAttempts,
  blockingAt,
  findAttempt,
  isAtService,
  otherServiceFailure,
} from '../attempts/open-attempts'
import { listNamed } from '../list/find-by-name'
import { attemptChanged, mayBeTaken, isTaken, unconfirmedBefore } from './failures'
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
  const reason = await context.journal.incompleteReason()
  const blocked = await blockedByAttempt(context, creation)
  if (blocked) return blocked
  if (!reason) return null
  // Attempts may have become readable while the service answered.
  return (await blockedByService(context, creation, reason)) ?? (await blockedByAttempt(context, creation))
}

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

async function blockedByAttempt(context: CreationContext, creation: Creation): Promise<Failure | null> {
  const { environments, journal, reconciler } = context
  const { environment, request, consent, signal } = creation
  await adoptAttempts(journal, environments, environment)
  const blocking = await blockingAt(journal, environment, request.name)
  if (!blocking && !consent) return null
  const about = blocking ?? (await findMeant(journal, creation))
  if (!about) return attemptChanged(request.name)
  if (consent?.attemptId !== about.id) {
    await noteOtherServices(journal, environment, about)
    return unconfirmedBefore(about, environment)
  }
  // A call that is repeated, by mistake or not, isn't another consent.
  if (consent.sentAgain !== about.sentAgain) return attemptChanged(request.name)
  // If the service doesn't answer, the operator's consent still counts.
  const stopped = await reconciler.lookUpBeforeSending(environment.id, about.id, signal)
  if (stopped) return stopped
  const now = await findAttempt(journal, about.id)
  if (fittingOf(now) > fittingOf(about)) return attemptChanged(request.name)
  return await whyOutdated(context, creation)
}

/**
 * The attempt that a consent is about although it doesn't block the name, such as one after which the name was created:
 * an unconfirmed one at the name that was sent to the same service. Null if it is another.
 */
async function findMeant(
  journal: Journal,
  { environment, request: { name }, consent }: Creation,
): Promise<StoredCreation | null> {
  const attempt = consent && (await findAttempt(journal, consent.attemptId))
  const isMeant = attempt?.name === name && isUnconfirmed(attempt) && isAtService(attempt, environment)
  return isMeant ? attempt : null
}

/** How many found deployments match an attempt. */
const fittingOf = (attempt: StoredCreation | null): number => attempt?.lookup?.fitting ?? 1

/**
 * Notes which of the environment's unconfirmed attempts at a name were sent to another service, as a lookup would, so
 * that the page says so. The blocking attempt may be another environment's.
 */
async function noteOtherServices(
  journal: Journal,
  environment: ReadyEnvironment,
  blocking: StoredCreation,
): Promise<void> {
  for (const one of await journal.creations()) {
    const isOwn = one.environmentId === environment.id && one.name === blocking.name && isUnconfirmed(one)
    if (!isOwn && one.id !== blocking.id) continue
    const isElsewhere = !isAtService(one, environment)
    if (isElsewhere === (one.lookFailure?.code === 'other-service')) continue
    await journal.noteLookup(one.id, { lookFailure: isElsewhere ? otherServiceFailure : null })
  }
}

/** Why a name may not be sent while the journal is incomplete: the service has it, may have it, or doesn't answer. */
async function blockedByService(
  { http }: CreationContext,
  { environment, request: { name }, signal }: Creation,
  reason: IncompleteReason,
): Promise<Failure | null> {
  const listed = await listNamed(http, environment.target, name, signal)
  if (!listed.ok) return listed.failure
  const { deployments, complete, unreadable } = listed.value
  if (deployments.some((deployment) => deployment.name === name)) return isTaken(name, reason)
  const isFree = complete && unreadable === 0 && !deployments.some((one) => isAlike(one.name, name))
  return isFree ? null : mayBeTaken(name, reason)
}
