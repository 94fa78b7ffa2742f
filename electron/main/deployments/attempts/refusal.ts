import { type Failure, isNameTaken, type Lookup } from '@contract'
import { isUnreachable } from '../../http/connections'
import { isRefusal } from './creation-end'
import { isAbsent, isFromAnotherTime } from './match-attempt'

/** What the list says of a creation that was refused. */
export interface SeenOfRefused {
  lookup: Lookup
  /** Whether another attempt is known to have created what has the name. */
  isAnothers: boolean
  /** When what was found was created, compared with the attempt, as `provenTime` knows; null where it found nothing. */
  time: 'older' | 'later' | null
}

/**
 * What became of a creation that was refused, as the list says. A gateway may have sent the request twice, so that the
 * first copy was accepted and the refusal is the answer to the second one; so no refusal is told before this was asked:
 * - `created`: the list has what was sent;
 * - `unclear`: it has something of the name that may be it; or the name is said to be taken (409), and the list does not
 *   show by what: the first copy may be under way; or it may be the list of another account;
 * - `refused`: it has nothing of the name, or what is certainly another's, or from another time;
 * - null: it does not say enough, since it is not known to be whole, or could not be read whole.
 */
export function stateAfterRefusal(
  refusal: Failure,
  { lookup, isAnothers, time }: SeenOfRefused,
): 'created' | 'refused' | 'unclear' | null {
  if (lookup.verdict === 'found') return 'created'
  if (lookup.reason === 'credentials') return 'unclear'
  if (isFromAnotherTime(lookup)) {
    // The same in all but the time is told apart by clocks alone; a later one may be a copy that took its time.
    const isSame = lookup.verdict === 'different'
    return time === 'older' || !isSame ? 'refused' : 'unclear'
  }
  if (lookup.deployment !== null) return 'unclear'
  if (!isAbsent(lookup)) return null
  return isAnothers || !isNameTaken(refusal) ? 'refused' : 'unclear'
}

/**
 * What is told of a refused creation that the list says nothing of. What an earlier copy of the request would cause as
 * well, a name that is taken (409) or one request too many (429), is unconfirmed then. Everything else counts as HTTP
 * means it where the list is refused as well, or whoever may not list could never be told what was wrong with a request.
 * Where the list got no answer, or one that says nothing about it, or changed while it was read, the next look is awaited.
 *
 * @param seen what was found, or why the list could not be read
 */
export function stateUnseen({ status }: Failure, seen: Failure | Lookup): 'refused' | 'unclear' {
  return status === 409 || status === 429 || mayShowLater(seen) ? 'unclear' : 'refused'
}

/** Whether another look may say more: a list with entries that can't be read, or that is refused, stays as it is. */
const mayShowLater = (seen: Failure | Lookup): boolean =>
  'verdict' in seen
    ? seen.reason === 'incomplete'
    : !isRefusal(seen) || isUnreachable(seen) || seen.status === 429
