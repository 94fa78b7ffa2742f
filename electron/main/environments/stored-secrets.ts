import { isDeepStrictEqual } from 'node:util'
import type { EnvironmentProfile, Proxy, ProxyInput, Trust } from '@contract'
import { isTenantHeader, proxyParts, trustParts } from './known'

/** Where requests with an environment's headers go, and by which route. */
export interface Route {
  baseUrl: string
  trust: Trust
  proxy: Proxy | ProxyInput
  /** Value of the tenant's header; null if there is none. */
  tenant: string | null
}

/** The route that a stored profile describes. */
export function routeOf({ baseUrl, trust, proxy, headers }: EnvironmentProfile): Route {
  const tenant = headers.find(({ name }) => isTenantHeader(name))?.value ?? null
  return { baseUrl, trust, proxy, tenant }
}

/**
 * The rule on who gets a stored header value: only the service it was entered for. That is the same origin and the same
 * tenant, with the same certificate rule and the same proxy. Otherwise a compromised page could send a secret that it
 * never sees to a server, a proxy or a certificate of its own, both by a check of the connection and by a save.
 *
 * Another path is the same place: an origin has one owner and one certificate.
 *
 * @param stored what the values were entered for
 * @param wanted what they would be used for
 * @param consented a certificate that the operator accepted outside the page, for the stored values too
 * @returns null if they may be used, otherwise the difference, as a clause
 */
export function whyNotUsed(stored: Route, wanted: Route, consented: Trust | null = null): string | null {
  const isTrusted =
    isSameTrust(stored.trust, wanted.trust) || (consented !== null && isSameTrust(consented, wanted.trust))
  const differences: [string, boolean][] = [
    [
      'the base URL now leads to another server',
      new URL(stored.baseUrl).origin !== new URL(wanted.baseUrl).origin,
    ],
    ['the tenant (X-Tenant-Id) has changed', stored.tenant !== wanted.tenant],
    ['the service may now show another certificate', !isTrusted],
    ['requests now go through another proxy', !isSameProxy(stored.proxy, wanted.proxy)],
  ]
  return differences.find(([, isDifferent]) => isDifferent)?.[0] ?? null
}

/** Whether two rules accept the same certificates. */
export const isSameTrust = (one: Trust, other: Trust): boolean =>
  isDeepStrictEqual(trustParts(one), trustParts(other))

/** Whether two settings lead through the same proxy, even with another user. */
const isSameProxy = (one: Route['proxy'], other: Route['proxy']): boolean =>
  isDeepStrictEqual(proxyParts(one), proxyParts(other))

/**
 * The stored password that may be used with a proxy: only with the proxy and the user name it was entered for. It
 * doesn't depend on the service, which never gets it.
 */
export function proxyPasswordFor(
  stored: Proxy | null,
  wanted: ProxyInput & { mode: 'manual' },
): string | null {
  if (stored?.mode !== 'manual' || !isSameProxy(stored, wanted)) return null
  const { credentials } = stored
  return credentials && credentials.userName === wanted.credentials?.userName ? credentials.password : null
}
