import { randomBytes } from 'node:crypto'
import { annotatedService } from '@contract/app/personal-values'
import type { StoredService } from '@contract/ipc/stored-content'
import { isTenantHeader, serviceIdentity } from '../../environments/model/service-identity'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'

/** The parts of a target that identify its service, without credentials. */
export const serviceTargetOf = ({ environmentId, baseUrl, headers }: HttpTarget): HttpTarget => ({
  environmentId,
  baseUrl,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isTenantHeader(name))),
})

/** Where an environment leads now, if that is the service that the page names (`Environment.service`); else null. */
export function targetAt(
  environments: Pick<Environments, 'destination'>,
  environmentId: string,
  service: string,
): HttpTarget | null {
  const known = environments.destination(environmentId)
  const isNamed = known !== null && annotatedService(known.service) === annotatedService(service)
  return isNamed ? serviceTargetOf(known.target) : null
}

/** Gives a function that says whether something belongs to a target's environment and service. */
export function belongsTo(target: HttpTarget): (stored: StoredService) => boolean {
  // What belongs to one service has the same salt.
  const identities = new Map<string, string>()
  return ({ environmentId, service, salt }) => {
    if (environmentId !== target.environmentId) return false
    const identity = identities.get(salt) ?? serviceIdentity(target, salt)
    identities.set(salt, identity)
    return service === identity
  }
}

/**
 * A target's service as the file stores it: with the salt of `known`, or a new one. Null for a target without an
 * environment.
 */
export function storedService(target: HttpTarget, known?: StoredService): StoredService | null {
  const { environmentId } = target
  if (environmentId === null) return null
  const salt = known?.salt ?? randomBytes(32).toString('base64')
  return { environmentId, salt, service: serviceIdentity(target, salt) }
}
