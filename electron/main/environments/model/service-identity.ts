import { createHmac } from 'node:crypto'
import { type Proxy, systemNetwork, type Trust } from '@contract'
import type { HttpTarget } from '../../http/types'
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
 * base URL or tenant was edited in between. Credentials are no part of it, since they are renewed: `headersIdentity` has
 * them, and `routeIdentity` the way there.
 *
 * A built-in service listens on another port after each start, so its environment's identifier stands for it.
 *
 * @param salt the key of the hash, in any form; two identities can be compared only under the same one
 */
export function serviceIdentity(
  { environmentId, baseUrl, headers }: Pick<HttpTarget, 'environmentId' | 'baseUrl' | 'headers'>,
  salt: string,
): string {
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
 * Stands for the request headers of a target, in whatever order and letters their names are: a keyed hash, as above. One
 * service may serve many accounts, and any header may say which, so with other headers it may list something else.
 * Those of a built-in service are its own: it has one account, and another key after each start.
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
 * Stands for the proxy and the certificate rule of a target: a keyed hash, as above. The same base URL may lead to another
 * service through another proxy, or where another certificate counts. Whoever signs in at the proxy is no part of it.
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

/**
 * Names the account at a service that a target leads to: the service together with the request headers and the way there.
 * What was read with some headers, or on some way, may be of their account or service alone, so it is kept and shown for
 * these alone. Nothing says which header names the account, nor which proxy leads to the same service, so a renewed key
 * of the same account counts as another one, and so does a renewed certificate that is trusted exactly.
 */
export function accountIdentity(
  target: Pick<HttpTarget, 'environmentId' | 'baseUrl' | 'headers' | 'network'>,
  salt: string,
): string {
  return [serviceIdentity, headersIdentity, routeIdentity].map((identity) => identity(target, salt)).join('.')
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
