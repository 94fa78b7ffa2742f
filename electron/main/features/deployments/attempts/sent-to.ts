import { randomBytes } from 'node:crypto'
import type { CreationEntry, Fingerprint, StoredCreation } from '@contract'
import type { Environments, ReadyEnvironment } from '../../../environments/model/types'
import { headersIdentity, routeIdentity, serviceIdentity } from '../../../environments/model/service-identity'
import type { SentTo } from '../../../stored/journal'
import { isAtService, isSentAlike } from './open-attempts'

/**
 * Creates a function that says whether an attempt's environment leads to where it was sent (`sentTo` of its entry).
 * Only there does the window open its deployment, or take a draft for created. Each result is remembered with the
 * attempt.
 */
export function createSentTo(
  environments: Pick<Environments, 'destination'>,
): (attempt: StoredCreation) => CreationEntry['sentTo'] {
  const compared = new WeakMap<StoredCreation, { service: string; isThere: boolean | null }>()
  return (attempt) => {
    const destination = environments.destination(attempt.environmentId)
    if (destination === null || attempt.serviceIdentity === null) return undefined
    const { service } = destination
    const known = compared.get(attempt)
    const isThere =
      known?.service === service
        ? known.isThere
        : isAtService(attempt, destination) && isSentAlike(attempt, destination)
    compared.set(attempt, { service, isThere })
    if (isThere === null) return undefined
    return isThere ? service : null
  }
}

/** The identities that the journal stores for an attempt with this fingerprint. */
export function identitiesOf({ target }: ReadyEnvironment, fingerprint: Fingerprint): SentTo {
  const { salt } = fingerprint
  return {
    fingerprint,
    serviceIdentity: serviceIdentity(target, salt),
    headersIdentity: headersIdentity(target, salt),
    routeIdentity: routeIdentity(target, salt),
  }
}

/** The same for an attempt whose deployment the operator has found: from then on it counts as sent there. */
export function whereFound(environment: ReadyEnvironment, { fingerprint }: StoredCreation): SentTo {
  const empty = { salt: randomBytes(32).toString('base64'), members: {}, secretNames: null }
  return identitiesOf(environment, fingerprint ?? empty)
}
