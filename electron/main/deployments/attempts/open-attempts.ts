import { blockingAttempt, failure, type Failure, isUnconfirmed, type StoredCreation } from '@contract'
import type { Environments, ReadyEnvironment } from '../../environments/model/types'
import { headersIdentity, routeIdentity, serviceIdentity } from '../../environments/model/service-identity'
import type { Journal } from '../../journal'

type Place = Pick<ReadyEnvironment, 'id' | 'name' | 'target'>

/**
 * Whether an attempt was sent to the service that an environment leads to now. Of one that did not keep where it was
 * sent, its environment's identifier is all that is known.
 */
export function isAtService(
  { environmentId, fingerprint, serviceIdentity: kept }: StoredCreation,
  { id, target }: Place,
): boolean {
  if (kept === null || fingerprint === null) return environmentId === id
  return serviceIdentity(target, fingerprint.salt) === kept
}

/**
 * Whether an attempt was sent with the request headers, through the proxy and by the certificate rule that an environment
 * has now, so that what the list there lacks is not there; null where it did not keep them.
 */
export function isSentAlike(
  { fingerprint, headersIdentity: headers, routeIdentity: route }: StoredCreation,
  { target }: Place,
): boolean | null {
  if (fingerprint === null || headers === null) return null
  const { salt } = fingerprint
  if (headersIdentity(target, salt) !== headers) return false
  return route === null ? null : routeIdentity(target, salt) === route
}

/** The attempt with an identifier, as the journal has it now; null if there is none. */
export async function findAttempt(journal: Journal, id: string): Promise<StoredCreation | null> {
  return (await journal.creations()).find((one) => one.id === id) ?? null
}

/**
 * The attempt that stands in the way of a name: one at the environment's service, which may be of another environment,
 * or else one of the environment itself. That counts also where its base URL or tenant was edited since, or an edited
 * path would be a way to send the name again without consent.
 */
export async function blockingAt(
  journal: Journal,
  environment: Place,
  name: string,
): Promise<StoredCreation | null> {
  const attempts = await journal.creations()
  const here = attempts.filter((one) => isAtService(one, environment))
  const own = attempts.filter(({ environmentId }) => environmentId === environment.id)
  return blockingAttempt(here, name, attempts) ?? blockingAttempt(own, name, attempts)
}

/** The most earlier attempts at its name that an attempt stores. */
const mostBefore = 50

/**
 * The attempts at a name that a new one at the same service comes after, by their identifiers. Where it was sent
 * with other request headers or in another way, another account or service may have been asked, in which the name is
 * still free.
 */
export function attemptsBefore(
  attempts: readonly StoredCreation[],
  environment: Place,
  name: string,
): string[] {
  return attempts
    .filter((one) => one.name === name && one.state !== 'created' && isAtService(one, environment))
    .filter((one) => isSentAlike(one, environment) !== false)
    .map(({ id }) => id)
    .slice(-mostBefore)
}

/** Identifiers of what attempts have created, as far as they count where an environment leads to. */
export interface CreatedIds {
  /** Created there: what has one of them is another attempt's. */
  known: ReadonlySet<string>
  /**
   * Created under the same name at its base URL and tenant, but with other request headers or in another way, so perhaps
   * at another service, which gives what identifiers it likes.
   */
  perhaps: ReadonlySet<string>
}

/**
 * The identifiers of what is known to have been created at the service that an environment leads to, or perhaps there.
 *
 * @param name of the attempt that they matter to
 */
export function createdIds(
  attempts: readonly StoredCreation[],
  environment: Place,
  name: string,
): CreatedIds {
  const known = new Set<string>()
  const perhaps = new Set<string>()
  for (const one of attempts) {
    if (one.deploymentId === null || !isAtService(one, environment)) continue
    if (isSentAlike(one, environment) !== false) known.add(one.deploymentId)
    else if (one.name === name) perhaps.add(one.deploymentId)
  }
  return { known, perhaps }
}

/**
 * Gives an environment the unconfirmed attempts at its service that nobody else looks for, so that they are shown,
 * followed and in the way of their names as its own. Those that were sent with other request headers, or in another way,
 * stay as they are, since another account or service may have been asked; they are in the way of their names all the same.
 */
export async function adoptAttempts(
  journal: Journal,
  environments: Environments,
  environment: Place,
): Promise<void> {
  for (const one of await orphans(journal, environments, environment.id)) {
    if (!isAtService(one, environment) || isSentAlike(one, environment) !== true) continue
    await journal.moveCreation(one.id, { environmentId: environment.id, environmentName: environment.name })
  }
}

/**
 * The unconfirmed attempts whose own environment was removed, or is known to lead to another service than the given one
 * does. Of an environment whose profile is not known that is not said.
 */
export async function orphans(
  journal: Journal,
  environments: Environments,
  environmentId: string,
): Promise<StoredCreation[]> {
  const known = new Map(environments.state().environments.map(({ id, service }) => [id, service]))
  const here = known.get(environmentId) ?? null
  const isOrphan = ({ environmentId: own }: StoredCreation): boolean => {
    const there = known.get(own)
    return there === undefined || (there !== null && here !== null && there !== here)
  }
  return (await journal.creations()).filter((one) => isUnconfirmed(one) && isOrphan(one))
}

/** Why an environment's service says nothing about an attempt. */
export const otherServiceFailure: Failure = failure(
  'other-service',
  'This environment now points to a different service or workspace than the one this was sent to.',
  {
    advice:
      'Set its base URL and request headers back, or add an environment that leads there, to check the result.',
  },
)

/** The failure of what must be in the journal first, if the journal can't be written. */
export const journalFailure = (consequence: string): Failure =>
  failure('internal', `The journal couldn't be written, so ${consequence}.`, {
    advice: 'Check that the disk has space and that Slipway can write to its folder, then try again.',
    retryable: true,
  })
