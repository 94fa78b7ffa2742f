import { blockingAttempt, failure, type Failure, isUnconfirmed, type StoredCreation } from '@contract'
import type { Environments, ReadyEnvironment } from '../../../environments/model/types'
import { headersIdentity, routeIdentity, serviceIdentity } from '../../../environments/model/service-identity'
import type { Journal } from '../../../stored/journal'

type Place = Pick<ReadyEnvironment, 'id' | 'name' | 'target'>

/**
 * Whether an attempt was sent to the service of an environment. Attempts of an earlier version don't have their
 * service. They are compared by their environment.
 */
export function isAtService(
  { environmentId, fingerprint, serviceIdentity: identity }: StoredCreation,
  { id, target }: Place,
): boolean {
  if (identity === null || fingerprint === null) return environmentId === id
  return serviceIdentity(target, fingerprint.salt) === identity
}

/**
 * Whether an attempt was sent with the request headers, the proxy and the certificate rule of an environment. Only then
 * does the list of the environment prove that a deployment is missing. Null if the attempt doesn't have them stored.
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
 * The attempt that blocks a name: one at the environment's service, which may be another environment's, or one of the
 * environment itself. The latter counts even if the environment's base URL or tenant was edited since. Otherwise an
 * edited path would allow sending the name again without consent.
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

/** How many earlier attempts at its name an attempt stores. */
const maxBefore = 50

/**
 * The identifiers of earlier attempts at a name at the environment's service. Attempts that were sent with other
 * request headers or by another route don't count: they may have gone to another account or service, where the name is
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
    .slice(-maxBefore)
}

/** Identifiers of the deployments that attempts have created, from an environment's point of view. */
export interface CreatedIds {
  /** Created at the environment's service: a deployment with one of them belongs to another attempt. */
  known: ReadonlySet<string>
  /**
   * Created under the same name at the same base URL and tenant, but with other request headers or by another route. So
   * perhaps another service assigned the same identifier.
   */
  perhaps: ReadonlySet<string>
}

/**
 * The identifiers of deployments that were created at the service of an environment, or perhaps there.
 *
 * @param name of the attempt to be matched
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
 * Moves unconfirmed attempts to an environment with the same service if their own environment no longer leads there.
 * They are then shown, looked up and block their names as its own. Attempts that were sent with other request headers
 * or by another route stay: they may have gone to another account or service. They still block their names.
 */
export async function adoptAttempts(
  journal: Journal,
  environments: Environments,
  environment: Place,
): Promise<void> {
  for (const one of await orphanedAttempts(journal, environments, environment.id)) {
    if (!isAtService(one, environment) || isSentAlike(one, environment) !== true) continue
    await journal.moveCreation(one.id, { environmentId: environment.id, environmentName: environment.name })
  }
}

/**
 * The unconfirmed attempts whose environment was removed, or is known to lead to another service than the given one. If
 * an environment's profile isn't known, its attempts aren't included.
 */
export async function orphanedAttempts(
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

/** The failure of something that must be in the journal first, if the journal can't be written. */
export const journalFailure = (consequence: string): Failure =>
  failure('internal', `The journal couldn't be written, so ${consequence}.`, {
    advice: 'Check that the disk has space and that Slipway can write to its folder, then try again.',
    retryable: true,
  })
