import { randomUUID } from 'node:crypto'
import { failure, isRefusedOutside, isUnconfirmed, type StoredCreation } from '@contract'
import { withoutMembers } from './bounded'
import type { AttemptedCreation, CreationEnd, JournalPlace, LookupNote } from './types'

/** The entry of a creation that is about to be sent. */
export function newCreation(place: JournalPlace, attempted: AttemptedCreation): StoredCreation {
  const { name, source, before, startedAtService } = attempted
  const { fingerprint, serviceIdentity, headersIdentity, routeIdentity } = attempted
  return {
    id: randomUUID(),
    startedAt: new Date().toISOString(),
    endedAt: null,
    ...place,
    kind: 'creation',
    state: 'sending',
    name,
    source,
    deploymentId: null,
    failure: null,
    lookup: null,
    lookFailure: null,
    before,
    startedAtService,
    heldBack: false,
    sentAgain: 0,
    fingerprint,
    serviceIdentity,
    headersIdentity,
    routeIdentity,
  }
}

/** The entry of a creation with its end; null if it had already ended. */
export function endedCreation(entry: StoredCreation, end: CreationEnd): StoredCreation | null {
  if (entry.state !== 'sending') return null
  return withoutFingerprint({
    ...entry,
    endedAt: new Date().toISOString(),
    state: end.state,
    deploymentId: end.state === 'created' ? end.deploymentId : null,
    failure: end.state === 'created' ? null : end.failure,
    heldBack: end.state === 'refused' && end.heldBack === true,
  })
}

/** The entry of an attempt after a lookup; null if the attempt is already known to have created its deployment. */
export function creationAfterLookup(
  entry: StoredCreation,
  { state, lookup, lookFailure }: LookupNote,
): StoredCreation | null {
  if (entry.state === 'created') return null
  const found = lookup ?? entry.lookup
  return withoutFingerprint({
    ...entry,
    state: state ?? entry.state,
    deploymentId: state === 'created' ? (found?.deployment?.id ?? null) : entry.deploymentId,
    lookup: found,
    lookFailure,
  })
}

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

/** An entry without what is only needed to match its deployment, if the attempt is settled permanently. */
function withoutFingerprint(entry: StoredCreation): StoredCreation {
  const { fingerprint } = entry
  if (isUnconfirmed(entry) || isRefusedOutside(entry) || fingerprint === null) return entry
  return { ...entry, fingerprint: { ...withoutMembers(fingerprint), secretNames: null } }
}
