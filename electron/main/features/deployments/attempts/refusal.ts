import { type Failure, isNameTaken, type Lookup } from '@contract'
import { isUnreachable } from '../../../http/connections'
import { isRefusal } from './creation-end'
import { isAbsent, isFromAnotherTime } from './match-attempt'

/** What the list says about a refused creation. */
export interface SeenOfRefused {
  lookup: Lookup
  /** Whether another attempt is known to have created the deployment of that name. */
  isAnothers: boolean
  /**
   * Whether the found deployment is provably older or later than the attempt (`provenTime`); null if neither is proven.
   */
  time: 'older' | 'later' | null
}

/** How a refused creation ended according to the list (decision 0022); null if the list doesn't show it. */
export function stateAfterRefusal(
  refusal: Failure,
  { lookup, isAnothers, time }: SeenOfRefused,
): 'created' | 'refused' | 'unclear' | null {
  if (lookup.verdict === 'found') return 'created'
  if (lookup.reason === 'credentials') return 'unclear'
  // A later one didn't exist before the attempt, even if it differs: the request may have been carried out late.
  if (isFromAnotherTime(lookup)) return time === 'older' ? 'refused' : 'unclear'
  if (lookup.deployment !== null) return 'unclear'
  if (!isAbsent(lookup)) return null
  return isAnothers || !isNameTaken(refusal) ? 'refused' : 'unclear'
}

/**
 * What a refused creation counts as if the list doesn't say enough (decision 0022).
 *
 * @param seen what was found, or why the list could not be read
 */
export function stateUnseen({ status }: Failure, seen: Failure | Lookup): 'refused' | 'unclear' {
  return status === 409 || status === 429 || mayShowLater(seen) ? 'unclear' : 'refused'
}

/** Whether another lookup may say more. A list that is refused, or has unreadable entries, stays as it is. */
export const mayShowLater = (seen: Failure | Lookup): boolean =>
  'verdict' in seen
    ? seen.reason === 'incomplete'
    : !isRefusal(seen) || isUnreachable(seen) || seen.status === 429
