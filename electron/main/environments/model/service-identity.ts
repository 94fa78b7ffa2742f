import { createHmac } from 'node:crypto'
import { type Called, type Proxy, systemNetwork, type Trust } from '@contract'
import type { HttpTarget } from '../../http/types'
import { builtInMode } from './built-in'

/** The header with the tenant (the workspace) of a service that has several. */
const tenantHeader = 'x-tenant-id'

/** Whether a header is the tenant's. */
export function isTenantHeader(name: string): boolean {
  return name.toLowerCase() === tenantHeader
}

/** What a service's identity needs of a target. */
type ServiceTarget = Pick<HttpTarget, 'environmentId' | 'baseUrl' | 'headers'>

/**
 * Identifies the service and the tenant that a target leads to, by a keyed hash, so that neither can be read from it.
 * What was learned or left unsettled at one service never counts for another, even if the environment's base URL or
 * tenant was edited meanwhile. Credentials aren't part of it, because they are renewed: see `headersIdentity`, and
 * `routeIdentity` for the route.
 *
 * A built-in service has another port after each start, so its environment's identifier is used instead.
 *
 * @param salt the key of the hash, in any form; identities can be compared only if they have the same one
 */
export function serviceIdentity({ environmentId, baseUrl, headers }: ServiceTarget, salt: string): string {
  const builtIn = isBuiltIn(environmentId)
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

/**
 * Identifies the request headers of a target by a keyed hash, whatever the order and case of their names. A service may
 * serve many accounts, and any header may choose one, so with other headers it may list something else. The headers of
 * a built-in service don't count: it has one account, and another key after each start.
 */
export function headersIdentity(
  { environmentId, headers }: Pick<HttpTarget, 'environmentId' | 'headers'>,
  salt: string,
): string {
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return createHmac('sha256', salt)
    .update(JSON.stringify(isBuiltIn(environmentId) ? 'built-in' : ['headers', ...sent.sort()]))
    .digest('base64url')
}

/**
 * Identifies the proxy and the certificate rule of a target by a keyed hash. With another proxy or rule, the same base
 * URL may lead to another service. The user of the proxy isn't part of it.
 */
export function routeIdentity(
  { environmentId, network = systemNetwork }: Pick<HttpTarget, 'environmentId' | 'network'>,
  salt: string,
): string {
  const route = ['route', ...proxyParts(network.proxy), ...trustParts(network.trust)]
  return createHmac('sha256', salt)
    .update(JSON.stringify(isBuiltIn(environmentId) ? 'built-in' : route))
    .digest('base64url')
}

/** The service that a target leads to, as it is kept to be compared later. */
export const calledService = (target: ServiceTarget, salt: string): Called => ({
  salt,
  identity: serviceIdentity(target, salt),
})

/** Whether a target leads to a service that was called. */
export const isService = ({ salt, identity }: Called, target: ServiceTarget): boolean =>
  serviceIdentity(target, salt) === identity

/** What an account's identity needs of a target. */
type AccountTarget = Pick<HttpTarget, 'environmentId' | 'baseUrl' | 'headers' | 'network'>

/**
 * Identifies the account at a service that a target leads to: the service, the request headers and the route. What was
 * read with some headers, or by some route, may belong to their account or service only, so it is stored and shown for
 * these only. Nothing says which header chooses the account, or which proxies lead to the same service. So a renewed
 * key of the same account counts as another account, and so does a renewed certificate that is trusted exactly.
 */
export function accountIdentity(target: AccountTarget, salt: string): string {
  return joined(serviceIdentity(target, salt), headersIdentity(target, salt), routeIdentity(target, salt))
}

const joined = (...identities: [service: string, headers: string, route: string]): string =>
  identities.join('.')

/** The account that a target leads to, as it is kept to be compared later. */
export const calledAccount = (target: AccountTarget, salt: string): Called => ({
  salt,
  identity: accountIdentity(target, salt),
})

/** Gives a function that says whether a target leads to an account that was called. */
export function leadsTo(target: AccountTarget): (account: Called) => boolean {
  // Entries of a session have the same salt.
  const identities = new Map<string, string>()
  return ({ salt, identity }) => {
    const now = identities.get(salt) ?? accountIdentity(target, salt)
    identities.set(salt, now)
    return identity === now
  }
}

function proxyParts(proxy: Proxy): (string | number)[] {
  if (proxy.mode === 'manual') return [proxy.mode, proxy.host.toLowerCase(), proxy.port]
  if (proxy.mode === 'pac-url') return [proxy.mode, proxy.url]
  return proxy.mode === 'pac-text' ? [proxy.mode, proxy.text] : [proxy.mode]
}

function trustParts(trust: Trust): string[] {
  if (trust.kind === 'authority') return [trust.kind, trust.pem]
  return trust.kind === 'exact' ? [trust.kind, trust.certificate.fingerprint] : [trust.kind]
}

const isBuiltIn = (environmentId: string | null): boolean =>
  environmentId !== null && builtInMode(environmentId) !== null
