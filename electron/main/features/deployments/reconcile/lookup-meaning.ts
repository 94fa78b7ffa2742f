import {
  type CreationEntry,
  type Failure,
  isRefusedOutside,
  type Lookup,
  type StoredCreation,
} from '@contract'
import { isUnreachable } from '../../../http/connections'
import type { LookupNote } from '../../../stored/journal'
import type { Absences, LookupStart } from '../attempts/absence'
import { isRefusal, mayBeAccepted } from '../attempts/creation-end'
import { isAbsent, latestMs } from '../attempts/match-attempt'
import { type SeenOfRefused, stateAfterRefusal } from '../attempts/refusal'

/**
 * The state of an unconfirmed attempt after a lookup; undefined if it doesn't change. Notes in `absences` whether the
 * list lacked the attempt's deployment.
 */
export function stateAfterLookup(
  attempt: StoredCreation,
  found: SeenOfRefused & { start: LookupStart },
  absences: Absences,
): LookupNote['state'] {
  const { lookup, time, start } = found
  if (lookup.verdict === 'found') return 'created'
  // An older deployment that differs from what was sent is another one, so the list lacks the attempt's.
  const isMissing = isAbsent(lookup) || (lookup.verdict === 'not-found' && time === 'older')
  if (lookup.deployment !== null && !isMissing) {
    absences.forget(attempt.id)
    // It may have been created after it counted as absent.
    if (attempt.state === 'not-created') return 'unclear'
  }
  // If it isn't known where the attempt was sent, only the operator can settle it.
  const isPlaced = attempt.serviceIdentity !== null && attempt.fingerprint !== null
  if (!isPlaced || (!isMissing && time !== 'older')) return undefined
  const { failure: reason } = attempt
  if (reason && isRefusal(reason) && stateAfterRefusal(reason, found) === 'refused') return 'refused'
  if (!isMissing || (reason && mayBeAccepted(reason))) return undefined
  return absences.note(attempt.id, start) ? 'not-created' : undefined
}

/** Whether an attempt failed in the network, without an answer. */
const isNetworkRefusal = ({ failure: reason }: CreationEntry): boolean => reason?.sent === 'no'

/**
 * Whether a refused attempt may have been carried out after all and can still be matched. For an attempt that failed in
 * the network, one lookup is enough: a service that creates, and then makes Chromium send the request again (421),
 * creates before it answers.
 */
export const mayHaveBeenCarriedOut = (attempt: StoredCreation): boolean =>
  isRefusedOutside(attempt) &&
  attempt.fingerprint !== null &&
  !(isNetworkRefusal(attempt) && wasAbsent(attempt))

/**
 * Whether a refused attempt was absent so long after its end that a later deployment is another's. Only a clock that
 * has run steadily since shows how long that was.
 */
export const isLongGone = (attempt: StoredCreation & { isSteady: boolean }): boolean =>
  attempt.isSteady && wasAbsent(attempt) && isLate(attempt, attempt.lookup!)

/** Whether an absence says more about a refused attempt than is known. Each one that is noted costs a line on disk. */
export const isNewAbsence = (attempt: CreationEntry, lookup: Lookup): boolean =>
  isAbsent(lookup) && (!wasAbsent(attempt) || (isLate(attempt, lookup) && !isLate(attempt, attempt.lookup!)))

const isLate = ({ startedAt, endedAt }: CreationEntry, lookup: Lookup): boolean =>
  Date.parse(lookup.at) - Date.parse(endedAt ?? startedAt) >= latestMs

const wasAbsent = ({ lookup }: CreationEntry): boolean => lookup !== null && isAbsent(lookup)

/** Whether a lookup was cancelled, so that its failure says nothing. */
export const isAbandoned = ({ code }: Failure): boolean =>
  code === 'cancelled' || code === 'environment-changed'

/** Whether a lookup failed because the service gave no answer, or none about this attempt. */
export const isWithoutAnswer = (reason: Failure): boolean =>
  isUnreachable(reason) ||
  reason.status !== null ||
  reason.code === 'unreadable-answer' ||
  reason.code === 'other-service'
