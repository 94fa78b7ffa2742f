import { randomUUID } from 'node:crypto'
import { failure, isUnconfirmed, type StoredCreation } from '@contract'
import type { AttemptedCreation, CreationEnd, JournalPlace, LookupNote, OperatorsWord } from './types'

/** The entry of a creation that is about to be sent. */
export function newCreation(place: JournalPlace, attempted: AttemptedCreation): StoredCreation {
  return {
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    endedAt: null,
    ...place,
    kind: 'creation',
    state: 'sending',
    deploymentId: null,
    failure: null,
    lookup: null,
    lookFailure: null,
    sentAgain: 0,
    ...attempted,
  }
}

/** The entry of a creation with its end; null if it had already ended. */
export function endedCreation(entry: StoredCreation, end: CreationEnd): StoredCreation | null {
  if (entry.state !== 'sending') return null
  return settled({
    ...entry,
    endedAt: new Date().toISOString(),
    state: end.state,
    deploymentId: end.state === 'created' ? end.deploymentId : null,
    failure: end.state === 'created' ? null : end.failure,
  })
}

/** The entry of an unconfirmed attempt after a lookup; null if it is settled already. */
export function creationAfterLookup(
  entry: StoredCreation,
  { state, lookup, lookFailure }: LookupNote,
): StoredCreation | null {
  if (!isUnconfirmed(entry)) return null
  const found = lookup ?? entry.lookup
  return settled({
    ...entry,
    state: state ?? entry.state,
    deploymentId: state === 'created' ? (found?.deployment?.id ?? null) : null,
    lookup: found,
    lookFailure,
  })
}

/** The entry of an unconfirmed attempt after the operator's decision; null if it is settled already. */
export const creationAfterWord = (entry: StoredCreation, word: OperatorsWord): StoredCreation | null =>
  word.state === 'created'
    ? creationAfterLookup(entry, { ...word, lookFailure: null })
    : isUnconfirmed(entry)
      ? settled({ ...entry, state: word.state })
      : null

/** The entry of an attempt whose name is sent again with the operator's consent. */
export function creationSentAgain(entry: StoredCreation): StoredCreation {
  return { ...entry, sentAgain: entry.sentAgain + 1 }
}

/** The entry of a creation during which the application ended. */
export function interruptedCreation(entry: StoredCreation): StoredCreation {
  return { ...entry, state: 'unclear', endedAt: new Date().toISOString(), failure: interrupted }
}

const interrupted = failure('connection-lost', 'Slipway closed before the answer arrived.', {
  advice: 'The creation is unconfirmed. Slipway looks for the deployment in the list.',
  sent: 'maybe',
})

/** Nothing is compared with a settled attempt any more. */
const settled = (entry: StoredCreation): StoredCreation =>
  isUnconfirmed(entry) ? entry : { ...entry, sent: null }
