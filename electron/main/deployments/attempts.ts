import {
  blockingAttempt,
  type CreationEntry,
  failure,
  type Failure,
  isUnconfirmed,
  type StoredCreation,
} from '@contract'
import type { Environments, ReadyEnvironment } from '../environments/port'
import { serviceIdentity } from '../environments/service-identity'
import type { Journal } from '../journal'

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

/** How many earlier attempts at its name an attempt names at most. */
const mostBefore = 50

/** The attempts at a name that a new one at the same service comes after, by their identifiers. */
export function attemptsBefore(
  attempts: readonly StoredCreation[],
  environment: Place,
  name: string,
): string[] {
  return attempts
    .filter((one) => one.name === name && one.state !== 'created' && isAtService(one, environment))
    .map(({ id }) => id)
    .slice(-mostBefore)
}

/**
 * The identifiers of what is known to have been created at the service that an environment leads to. What another
 * service calls its own says nothing about this one's.
 */
export function createdIds(attempts: readonly StoredCreation[], environment: Place): Set<string> {
  return new Set(
    attempts.flatMap((one) =>
      one.deploymentId !== null && isAtService(one, environment) ? [one.deploymentId] : [],
    ),
  )
}

/**
 * Gives an environment the unconfirmed attempts at its service whose own environment was removed, so that they are
 * shown, followed and in the way of their names as its own.
 */
export async function adoptAttempts(
  journal: Journal,
  environments: Environments,
  environment: Place,
): Promise<void> {
  for (const one of await orphans(journal, environments)) {
    if (!isAtService(one, environment)) continue
    await journal.moveCreation(one.id, { environmentId: environment.id, environmentName: environment.name })
  }
}

/** The unconfirmed attempts whose environment was removed. */
export async function orphans(journal: Journal, environments: Environments): Promise<StoredCreation[]> {
  const known = new Set(environments.state().environments.map(({ id }) => id))
  return (await journal.creations()).filter((one) => isUnconfirmed(one) && !known.has(one.environmentId))
}

/** An attempt as others see it. */
export function shownAttempt({
  fingerprint: _kept,
  serviceIdentity: _identity,
  ...entry
}: StoredCreation): CreationEntry {
  return entry
}

/** Why nothing that an environment's service answers says anything about an attempt. */
export const otherServiceFailure: Failure = failure(
  'other-service',
  'This environment now leads to another service or workspace than the one this was sent to.',
  {
    advice:
      'Set its base URL and request headers back, or add an environment that leads there, to check what became of it.',
  },
)

/** Why something is not done that has to be in the journal first. */
export const journalFailure = (consequence: string): Failure =>
  failure('internal', `The journal could not be written, so ${consequence}.`, {
    advice: 'Check that the disk has room and that its folder may be written, then try again.',
    retryable: true,
  })
