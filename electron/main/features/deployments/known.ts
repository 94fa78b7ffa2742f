import { blockingAttempt, type CreationEntry, isUnconfirmed, type StoredCreation } from '@contract'
import { serviceIdentity } from '../../environments/identity'
import type { Environments, ReadyEnvironment } from '../../environments/types'
import type { Journal } from '../../stored/journal'
import type { Others } from './match'

type Place = Pick<ReadyEnvironment, 'id' | 'name' | 'target'>

/** Whether an attempt was sent to the service of an environment: to its base URL and tenant. */
export const isAtService = ({ service }: StoredCreation, { target }: Pick<Place, 'target'>): boolean =>
  service === serviceIdentity(target)

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
  return blockingAttempt(here, name) ?? blockingAttempt(own, name)
}

/** What the journal knows about an attempt's name at the service of an environment, besides that attempt. */
export async function othersAt(
  journal: Journal,
  environment: Place,
  attempt: Pick<StoredCreation, 'id' | 'name'>,
): Promise<Others> {
  const others = (await journal.creations()).filter(
    (one) => one.id !== attempt.id && isAtService(one, environment),
  )
  return {
    taken: new Set(others.flatMap(({ deploymentId }) => deploymentId ?? [])),
    hasRival: others.some(
      (one) => one.name === attempt.name && (one.state === 'sending' || isUnconfirmed(one)),
    ),
  }
}

/**
 * Moves unconfirmed attempts to an environment with the same service if their own environment was removed, or is known
 * to lead elsewhere. They are then shown, looked up and block their names as its own.
 */
export async function adoptAttempts(
  journal: Journal,
  environments: Environments,
  environment: Place,
): Promise<void> {
  const existing = new Set(environments.state().environments.map(({ id }) => id))
  for (const attempt of await journal.creations()) {
    if (!isUnconfirmed(attempt) || attempt.environmentId === environment.id) continue
    const own = environments.destination(attempt.environmentId)
    const isLeft = !existing.has(attempt.environmentId) || (own !== null && !isAtService(attempt, own))
    if (!isLeft || !isAtService(attempt, environment)) continue
    await journal.moveCreation(attempt.id, {
      environmentId: environment.id,
      environmentName: environment.name,
    })
  }
}

/**
 * Creates a function that says whether an attempt's environment leads to where it was sent (`sentTo` of its entry).
 * Only there does the window open its deployment, or take a draft for created.
 */
export function createSentTo(
  environments: Pick<Environments, 'destination'>,
): (attempt: StoredCreation) => CreationEntry['sentTo'] {
  return (attempt) => {
    const destination = environments.destination(attempt.environmentId)
    if (destination === null) return undefined
    return isAtService(attempt, destination) ? destination.service : null
  }
}
