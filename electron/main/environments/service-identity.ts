import { createHmac } from 'node:crypto'
import type { HttpTarget } from '../http/port'
import { builtInMode } from './built-in'

/** The header that names the tenant (the workspace) of a service that has several. */
const tenantHeader = 'x-tenant-id'

/** Whether a header is the one that names the tenant. */
export function isTenantHeader(name: string): boolean {
  return name.toLowerCase() === tenantHeader
}

/**
 * Names the service, and the tenant of it, that a target leads to: a keyed hash of both, so that neither can be read
 * from it. What was learned or left undecided at one service never counts for another, also where an environment's
 * base URL or tenant was edited in between. Credentials are no part of it: they are renewed.
 *
 * A built-in service listens on another port after each start, so its environment's identifier stands for it.
 *
 * @param salt the key of the hash, in any form; two identities can be compared only under the same one
 */
export function serviceIdentity(
  { environmentId, baseUrl, headers }: Pick<HttpTarget, 'environmentId' | 'baseUrl' | 'headers'>,
  salt: string,
): string {
  const builtIn = environmentId !== null && builtInMode(environmentId) !== null
  const tenant = Object.entries(headers).find(([name]) => isTenantHeader(name))?.[1]
  return (
    createHmac('sha256', salt)
      // A tenant is named by a UUID (interface: Deployment), which means the same in either case.
      .update(
        JSON.stringify(
          builtIn ? ['built-in', environmentId] : ['service', baseUrl, tenant?.toLowerCase() ?? null],
        ),
      )
      .digest('base64url')
  )
}
