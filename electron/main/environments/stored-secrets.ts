import { createHash } from 'node:crypto'
import {
  type EnvironmentProfile,
  type Proxy,
  type ProxyInput,
  type SecretsPlace,
  systemNetwork,
  type Trust,
} from '@contract'
import { normalizeHost } from '../http/certificates'
import { builtInMode, isTenantHeader } from './identity'
import type { ReadyEnvironment } from './types'

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
  const [first] = routeDifferences(stored, wanted, consented)
  return first ? clauses[first] : null
}

/** The differences that make a place another than the one a secret was entered for. */
export type Difference = 'environment' | 'server' | 'tenant' | 'certificate' | 'proxy' | 'request headers'

const clauses: Record<Difference, string> = {
  environment: 'it was entered for another environment',
  server: 'the base URL now leads to another server',
  tenant: 'the tenant (X-Tenant-Id) has changed',
  certificate: 'the service may now show another certificate',
  proxy: 'requests now go through another proxy',
  'request headers': "the environment's request headers have changed",
}

function routeDifferences(stored: Route, wanted: Route, consented: Trust | null): Difference[] {
  const isTrusted =
    isSameTrust(stored.trust, wanted.trust) || (consented !== null && isSameTrust(consented, wanted.trust))
  const found: [Difference, boolean][] = [
    ['server', new URL(stored.baseUrl).origin !== new URL(wanted.baseUrl).origin],
    ['tenant', stored.tenant !== wanted.tenant],
    ['certificate', !isTrusted],
    ['proxy', !isSameProxy(stored.proxy, wanted.proxy)],
  ]
  return found.flatMap(([what, isDifferent]) => (isDifferent ? [what] : []))
}

/** The place that the secrets of a deployment are entered for, or would be sent to, in an environment as it is now. */
export function secretsPlaceOf({
  id,
  name,
  target,
}: Pick<ReadyEnvironment, 'id' | 'name' | 'target'>): SecretsPlace {
  const place = { environmentId: id, environmentName: name }
  if (builtInMode(id)) return { ...place, route: null }
  const { trust, proxy } = target.network ?? systemNetwork
  const headers = Object.entries(target.headers).map(
    ([header, value]) => [header.toLowerCase(), value] as const,
  )
  return {
    ...place,
    route: {
      baseUrl: target.baseUrl,
      trust,
      proxy: proxy.mode === 'manual' ? { ...proxy, credentials: null } : proxy,
      tenant: headers.find(([header]) => isTenantHeader(header))?.[1] ?? null,
      headers: createHash('sha256').update(JSON.stringify(headers.sort())).digest('base64url'),
    },
  }
}

/**
 * The rule for the secrets of a deployment: they go only to the environment that they were entered for, and there by
 * the rule for header values. An origin may serve many accounts, so other request headers are another place too: a
 * compromised page can enter some of its own.
 *
 * @returns null if they may be sent, otherwise the first difference, as a clause
 */
export function whyNotSent(entered: SecretsPlace, wanted: SecretsPlace): string | null {
  const [first] = differencesOf(entered, wanted)
  return first ? clauses[first] : null
}

/** All differences between a place and the one that secrets were entered for; empty if they may be sent. */
export function differencesOf(entered: SecretsPlace, wanted: SecretsPlace): Difference[] {
  const different: Difference[] = entered.environmentId === wanted.environmentId ? [] : ['environment']
  if (entered.route && wanted.route) {
    different.push(...routeDifferences(entered.route, wanted.route, null))
    if (entered.route.headers !== wanted.route.headers) different.push('request headers')
  } else if (entered.route || wanted.route) {
    // Only one of them is built in, so it is another environment.
    different.push('server')
  }
  return different
}

/** Whether two rules accept the same certificates. */
export function isSameTrust(one: Trust, other: Trust): boolean {
  if (one.kind === 'authority') return other.kind === 'authority' && one.pem === other.pem
  if (one.kind === 'exact') {
    return other.kind === 'exact' && one.certificate.fingerprint === other.certificate.fingerprint
  }
  return other.kind === 'system'
}

/** Whether two settings lead through the same proxy, even with another user. */
function isSameProxy(one: Route['proxy'], other: Route['proxy']): boolean {
  switch (one.mode) {
    case 'manual':
      return (
        other.mode === 'manual' &&
        normalizeHost(one.host) === normalizeHost(other.host) &&
        one.port === other.port
      )
    case 'pac-url':
      return other.mode === 'pac-url' && one.url === other.url
    case 'pac-text':
      return other.mode === 'pac-text' && one.text === other.text
    case 'system':
    case 'none':
      return one.mode === other.mode
  }
}

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
