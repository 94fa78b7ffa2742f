import {
  cancelledFailure,
  fail,
  type Failure,
  isAlike,
  isUnconfirmed,
  type Lookup,
  type Outcome,
  type StoredCreation,
  succeed,
} from '@contract'
import { readyEnvironment } from '../../../environments/current-environment'
import { environmentChangedFailure } from '../../../environments/model/failures'
import type { Environments, ReadyEnvironment } from '../../../environments/model/types'
import type { ServiceClient } from '../../../processes/cache-client/types'
import type { Journal } from '../../../stored/journal'
import type { Absences, LookupStart } from '../attempts/absence'
import { isRefusal } from '../attempts/creation-end'
import { compareInSlices } from '../attempts/fingerprint'
import {
  clockOf,
  matchAttempt,
  maxCompared,
  type Seen,
  timeOfFound,
  withOtherHeaders,
} from '../attempts/match-attempt'
import {
  type CreatedIds,
  createdIds,
  isAtService,
  isSentAlike,
  otherServiceFailure,
} from '../attempts/open-attempts'
import type { SeenOfRefused } from '../attempts/refusal'
import { listNamed } from '../list/find-by-name'
import { isLongGone, mayHaveBeenCarriedOut } from './lookup-meaning'
import type { AttemptStart } from './types'

/** The dependencies of lookups. */
export interface LookupContext {
  environments: Environments
  http: ServiceClient
  journal: Journal
  absences: Absences
  /** When the attempts of this run began, by identifier. */
  starts: ReadonlyMap<string, AttemptStart>
}

/** What a lookup found, and when it began. */
interface LookupResult extends SeenOfRefused {
  start: LookupStart
}

/** An attempt, and whether this machine's clock has run steadily since it began. */
type TimedAttempt = StoredCreation & { isSteady: boolean }

/** What the journal knows about a name. */
interface KnownAttempts {
  /** Identifiers of deployments that attempts created at the service, certainly or perhaps. */
  created: CreatedIds
  /** The attempts whose result isn't final. */
  open: readonly TimedAttempt[]
}

/**
 * Whether a refusal leaves open that the request was carried out, under a name that the list's filter doesn't find. One
 * that names members of the request doesn't: whoever refused it has read it and found it wrong.
 */
export const doubtsFilter = ({ status, issues }: Failure): boolean =>
  status !== 429 && !(status === 422 && issues.some(({ path }) => path.length > 0))

/**
 * Looks an attempt up in the list of an environment. Failures: those of the environment, and of the list.
 *
 * @param refusal the answer to the attempt if it was refused; null if it wasn't
 */
export async function lookUp(
  context: LookupContext,
  attempt: StoredCreation,
  environmentId: string,
  signal: AbortSignal,
  refusal = attempt.failure && isRefusal(attempt.failure) ? attempt.failure : null,
): Promise<Outcome<LookupResult>> {
  const { environments, journal, absences } = context
  const start = absences.begin()
  const ready = await readyEnvironment(environments, environmentId, signal)
  if (!ready.ok) return ready
  if (!isAtService(attempt, ready.value)) {
    // An edit of another environment says nothing about the attempt.
    return fail(attempt.environmentId === environmentId ? otherServiceFailure : environmentChangedFailure)
  }
  // It counts as not created only if the list doesn't have it without the filter either.
  const mayBeAbsent = attempt.state === 'not-created' || absences.wouldShow(attempt.id, start)
  const isFilterDoubted = mayBeAbsent || (refusal !== null && doubtsFilter(refusal))
  const seen = await readNamed(context.http, ready.value, attempt.name, signal, isFilterDoubted)
  if (!seen.ok) return seen
  const known = knownAttempts(await journal.creations(), context.starts, attempt.name, ready.value)
  const compared = await compareAhead(context, [...known.open, attempt], seen.value, environmentId, signal)
  if (!compared.ok) return compared
  return succeed({ ...matchIn(seen.value, timed(attempt, context.starts), ready.value, known), start })
}

/** Reads all entries of an environment's list for a name (`listNamed`). */
export async function readNamed(
  http: ServiceClient,
  { target }: ReadyEnvironment,
  name: string,
  signal: AbortSignal,
  isFilterDoubted: boolean,
): Promise<Outcome<Seen>> {
  const listed = await listNamed(http, target, name, signal, isFilterDoubted)
  if (!listed.ok) return listed
  const { deployments, unreadable, complete, date, receivedAt } = listed.value
  const at = new Date(receivedAt).toISOString()
  return succeed({ deployments, complete, unreadable, clock: clockOf(date, receivedAt), at })
}

/** What the journal knows about a name, or similar ones, at an environment's service. */
export function knownAttempts(
  attempts: readonly StoredCreation[],
  starts: LookupContext['starts'],
  name: string,
  environment: ReadyEnvironment,
): KnownAttempts {
  const isOpen = (one: TimedAttempt): boolean =>
    one.state === 'sending' || isUnconfirmed(one) || (mayHaveBeenCarriedOut(one) && !isLongGone(one))
  return {
    created: createdIds(attempts, environment, name),
    open: attempts
      .filter((one) => isAlike(one.name, name))
      .map((one) => timed(one, starts))
      .filter((one) => isOpen(one) && isAtService(one, environment)),
  }
}

export const timed = (attempt: StoredCreation, starts: LookupContext['starts']): TimedAttempt => ({
  ...attempt,
  isSteady: starts.get(attempt.id)?.isSteady() ?? false,
})

/**
 * Makes the comparisons that `matchIn` needs, in time slices, so that large deployments don't block the process. Fails
 * once the result is no longer needed: with `cancelled`, or with `environment-changed` if the environment is no longer
 * the current one.
 */
export async function compareAhead(
  { environments }: LookupContext,
  attempts: readonly StoredCreation[],
  { deployments }: Seen,
  environmentId: string,
  signal: AbortSignal,
): Promise<Outcome<null>> {
  const names = new Set(attempts.map(({ name }) => name))
  const fingerprints = new Map(attempts.map(({ id, fingerprint }) => [id, fingerprint]))
  const isWhole = await compareInSlices(
    [...fingerprints.values()].filter((one) => one !== null).slice(-2 * maxCompared),
    deployments.filter(({ name }) => names.has(name)),
    () => !signal.aborted && environments.state().currentEnvironmentId === environmentId,
  )
  if (isWhole) return succeed(null)
  return fail(signal.aborted ? cancelledFailure : environmentChangedFailure)
}

/** Matches an attempt against the entries of the list. */
export function matchIn(
  seen: Seen,
  attempt: TimedAttempt,
  environment: ReadyEnvironment,
  { created, open }: KnownAttempts,
): SeenOfRefused {
  const rivals = open.filter(({ id }) => id !== attempt.id)
  const timeOf = (lookup: Lookup): SeenOfRefused['time'] => timeOfFound(attempt, lookup, seen.clock)
  const found = matchAttempt(attempt, seen, created.known, rivals, created.perhaps)
  const isSent = isSentAlike(attempt, environment) === true
  // The attempt is shown in its own environment. Another environment may have another account.
  const mayBeShown = attempt.environmentId === environment.id && timeOf(found) !== 'older'
  const lookup = isSent ? found : withOtherHeaders(found, mayBeShown)
  return {
    lookup,
    isAnothers: seen.deployments.some(({ id, name }) => name === attempt.name && created.known.has(id)),
    time: timeOf(lookup),
  }
}
