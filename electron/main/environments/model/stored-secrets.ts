import { createHash } from 'node:crypto'
import {
  type EnvironmentProfile,
  type Proxy,
  type ProxyInput,
  type SecretsPlace,
  systemNetwork,
  type Trust,
} from '@contract'
import { normalizeHost } from '../../certificates/host-name'
import { builtInMode } from './built-in'
import type { ReadyEnvironment } from './types'
import { isTenantHeader } from './service-identity'

/** Where requests with an environment's headers go, and how. */
export interface Route {
  baseUrl: string
  trust: Trust
  proxy: Proxy | ProxyInput
  /** Value of the header that names the tenant; null where there is none. */
  tenant: string | null
}

/** The route that a stored profile describes. */
export function routeOf({ baseUrl, trust, proxy, headers }: EnvironmentProfile): Route {
  const tenant = headers.find(({ name }) => isTenantHeader(name))?.value ?? null
  return { baseUrl, trust, proxy, tenant }
}

/**
 * The one rule on who gets a stored header value: only whom it was entered for. That is the same origin, in the name of
 * the same tenant, showing a certificate by the same rule, through the same proxy. Otherwise a page that was taken over
 * could have a secret that it never sees sent to a server, a proxy or a certificate of its own, by a check of the
 * connection as well as by saving.
 *
 * A changed path is no other place: an origin has one owner and one certificate.
 *
 * @param stored what the values were entered for
 * @param wanted what they would be used for
 * @param consented a certificate to which the user agreed outside the page, for the stored values as well
 * @returns null where they may be used, or else what is different, as a clause
 */
export function whyNotUsed(stored: Route, wanted: Route, consented: Trust | null = null): string | null {
  const [first] = routeDifferences(stored, wanted, consented)
  return first ? clauses[first] : null
}

/** What makes a place another one than that for which a secret was entered. */
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

/** What the secrets of a deployment are entered for, or would be sent to, in an environment as it is. */
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
 * The rule for the secrets of a deployment: they go only to the environment that they were entered for, and there by the
 * rule for header values. Whoever answers at an origin may serve many accounts, so other request headers are another
 * place too: a page that was taken over can enter some of its own.
 *
 * @returns null where they may be sent, or else what is different first, as a clause
 */
export function whyNotSent(entered: SecretsPlace, wanted: SecretsPlace): string | null {
  const [first] = differencesOf(entered, wanted)
  return first ? clauses[first] : null
}

/** Everything in which a place differs from the one that secrets were entered for; empty where they may be sent. */
export function differencesOf(entered: SecretsPlace, wanted: SecretsPlace): Difference[] {
  const different: Difference[] = entered.environmentId === wanted.environmentId ? [] : ['environment']
  if (entered.route && wanted.route) {
    different.push(...routeDifferences(entered.route, wanted.route, null))
    if (entered.route.headers !== wanted.route.headers) different.push('request headers')
  } else if (entered.route || wanted.route) {
    // Only one of them is built in, and then it is another environment.
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

/** Whether two settings lead through the same proxy, whoever signs in there. */
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
 * The stored password that may be used with a proxy: only with the one it was entered for, by the same user. It does not
 * depend on the service, which never gets it.
 */
export function proxyPasswordFor(
  stored: Proxy | null,
  wanted: ProxyInput & { mode: 'manual' },
): string | null {
  if (stored?.mode !== 'manual' || !isSameProxy(stored, wanted)) return null
  const { credentials } = stored
  return credentials && credentials.userName === wanted.credentials?.userName ? credentials.password : null
}
