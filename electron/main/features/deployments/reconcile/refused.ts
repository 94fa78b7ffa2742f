import { fail, type Failure, failure, type Outcome, type StoredCreation, succeed } from '@contract'
import type { ReadyEnvironment } from '../../../environments/model/types'
import { maxCompared } from '../attempts/match-attempt'
import { isAtService } from '../attempts/open-attempts'
import { mayShowLater, stateAfterRefusal, stateUnseen } from '../attempts/refusal'
import {
  compareAhead,
  doubtsFilter,
  knownAttempts,
  lookUp,
  type LookupContext,
  matchIn,
  readNamed,
  timed,
} from './lookup'
import { isAbandoned, isNewAbsence, isWithoutAnswer, mayHaveBeenCarriedOut } from './lookup-meaning'
import type { EarlierCreation, RefusalLookup } from './types'

export const unknownAttempt = failure('not-found', 'The journal has no such attempt.')

/** Looks up how a refused creation ended, like `Reconciler.lookUpAfterRefusal`; `attempt` is null if unknown. */
export async function lookUpAfterRefusal(
  context: LookupContext,
  attempt: StoredCreation | null,
  environmentId: string,
  refusal: Failure,
  signal: AbortSignal,
): Promise<RefusalLookup> {
  const found = attempt
    ? await lookUp(context, attempt, environmentId, signal, refusal)
    : fail(unknownAttempt)
  if (!found.ok) {
    const reason = found.failure
    const state = stateUnseen(refusal, reason)
    return { state, lookup: null, lookFailure: isAbandoned(reason) ? null : reason }
  }
  const { lookup } = found.value
  const state = stateAfterRefusal(refusal, found.value) ?? stateUnseen(refusal, lookup)
  return { state, lookup, lookFailure: null }
}

/**
 * Reviews earlier refused attempts at a name, like `Reconciler.reviewRefused`.
 *
 * @param onReviewed is called after attempts were reviewed: some may be unconfirmed again
 */
export async function reviewRefused(
  context: LookupContext,
  environment: ReadyEnvironment,
  name: string,
  signal: AbortSignal,
  onReviewed: () => void,
): Promise<Outcome<EarlierCreation | null>> {
  const { http, journal, starts } = context
  const refused = (await journal.creations())
    .filter((one) => one.name === name && mayHaveBeenCarriedOut(one) && isAtService(one, environment))
    .slice(-maxCompared)
  if (refused.length === 0) return succeed(null)
  const isFilterDoubted = refused.some(({ failure: reason }) => reason !== null && doubtsFilter(reason))
  const seen = await readNamed(http, environment, name, signal, isFilterDoubted)
  if (!seen.ok) {
    if (!isWithoutAnswer(seen.failure)) return seen
    // Whether they were carried out since may show later. Until then, only the operator can have the name sent again.
    if (mayShowLater(seen.failure)) {
      for (const { id } of refused.filter(isAnswered))
        await journal.noteLookup(id, { state: 'unclear', lookFailure: seen.failure })
      onReviewed()
    }
    return succeed(null)
  }
  const known = knownAttempts(await journal.creations(), starts, name, environment)
  const compared = await compareAhead(
    context,
    [...known.open, ...refused],
    seen.value,
    environment.id,
    signal,
  )
  if (!compared.ok) return compared
  let created: EarlierCreation | null = null
  for (const attempt of refused) {
    const found = matchIn(seen.value, timed(attempt, starts), environment, known)
    created = await noteReview(context, attempt, found, seen.value.complete)
    // The deployment is this attempt's, so it isn't another's.
    if (created) break
  }
  onReviewed()
  return succeed(created)
}

const isAnswered = ({ failure: reason }: StoredCreation): boolean => reason?.sent === 'answered'

/**
 * Notes what the list says about a refused attempt. Gives what the attempt created, or null.
 *
 * @param isComplete whether the list was read to its end
 */
async function noteReview(
  { journal }: LookupContext,
  attempt: StoredCreation,
  found: ReturnType<typeof matchIn>,
  isComplete: boolean,
): Promise<EarlierCreation | null> {
  const { lookup } = found
  if (isNewAbsence(attempt, lookup)) await journal.noteLookup(attempt.id, { lookup, lookFailure: null })
  if (lookup.deployment === null) {
    // A whole list without the name: nothing has changed since the refusal. A part of it is no answer.
    if (!isComplete && isAnswered(attempt))
      await journal.noteLookup(attempt.id, { state: 'unclear', lookup, lookFailure: null })
    return null
  }
  const state = stateAfterRefusal(attempt.failure!, found)
  if (state !== 'created' && state !== 'unclear') return null
  await journal.noteLookup(attempt.id, { state, lookup, lookFailure: null })
  return state === 'created' ? { deploymentId: lookup.deployment.id, sent: attempt.fingerprint } : null
}
