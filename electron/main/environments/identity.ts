import { createHash } from 'node:crypto'
import {
  builtInEnvironments,
  type Environment,
  type EnvironmentColour,
  type EnvironmentMode,
  environmentModes,
  type NetworkSettings,
  type Proxy,
  type ProxyInput,
  systemNetwork,
  type Trust,
} from '@contract'
import { annotatedService } from '@contract/app/personal-values'
import { normalizeHost } from '../http/certificates'
import type { HttpTarget } from '../http/client'
import type { Environments } from '.'
import { sampleIntegrationId } from '@contract/deployment-api/request/limits'

/** The header with the tenant (the workspace) of a service that has several. */
const tenantHeader = 'x-tenant-id'

/** Whether a header is the tenant's. */
export function isTenantHeader(name: string): boolean {
  return name.toLowerCase() === tenantHeader
}

/** What an account's identity needs of a target. */
export type AccountTarget = Pick<HttpTarget, 'environmentId' | 'baseUrl' | 'headers' | 'network'>

const hash = (parts: unknown): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

/**
 * Identifies the service and the tenant that a target leads to. What was learned or left unsettled at one service never
 * counts for another, even if the environment's base URL or tenant was edited meanwhile. Credentials aren't part of it,
 * because they are renewed. A built-in service has another port after each start, so it is its environment's identifier.
 */
export function serviceIdentity({ environmentId, baseUrl, headers }: Omit<AccountTarget, 'network'>): string {
  if (isBuiltIn(environmentId)) return hash(['built-in', environmentId])
  const tenant = Object.entries(headers).find(([name]) => isTenantHeader(name))?.[1]
  // A tenant is named by a UUID (interface: Deployment), which means the same in either case.
  return hash(['service', baseUrl, tenant?.toLowerCase() ?? null])
}

/**
 * Identifies the account at a service that a target leads to: the service, the request headers and the route (proxy and
 * certificate rule). What was read with some headers, or by some route, may belong to their account or service only, so
 * it is stored and shown for these only. Nothing says which header chooses the account, or which proxies lead to the
 * same service. So a renewed key of the same account counts as another account.
 */
export const accountIdentity = (target: AccountTarget): string =>
  `${serviceIdentity(target)}.${accountAndRoute(target)}`

function accountAndRoute({ environmentId, headers, network = systemNetwork }: AccountTarget): string {
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return hash(
    isBuiltIn(environmentId)
      ? 'built-in'
      : [sent.sort(), proxyParts(network.proxy), trustParts(network.trust)],
  )
}

/**
 * Stands for what the secrets of a deployment are entered for, in an environment as it is now: the environment, the
 * origin, the account and the route. An origin may serve many accounts, so other request headers are another place: a
 * compromised page can enter some of its own. Another path at the origin is the same place.
 */
export function secretsPlaceOf({ id, target }: { id: string; target: AccountTarget }): string {
  const origin = isBuiltIn(id) ? '' : new URL(target.baseUrl).origin
  return `${id} ${hash([origin, accountAndRoute(target)])}`
}

/**
 * The rule for the secrets of a deployment (promise 1 in .github/SECURITY.md): they go only to what they were entered
 * for. Gives null if they may be sent, else why not, as a clause.
 */
export function whyNotSent(entered: string | null, to: string): string | null {
  if (entered === null) return "Slipway doesn't know what it was entered for"
  if (entered === to) return null
  const isOther = entered.split(' ', 1)[0] !== to.split(' ', 1)[0]
  return isOther
    ? 'it was entered for another environment'
    : 'the server, account, certificate rule or proxy of the environment has changed'
}

/** What a proxy's identity is: not who signs in to it. */
export function proxyParts(proxy: Proxy | ProxyInput): (string | number)[] {
  if (proxy.mode === 'manual') return [proxy.mode, normalizeHost(proxy.host), proxy.port]
  if (proxy.mode === 'pac-url') return [proxy.mode, proxy.url]
  return proxy.mode === 'pac-text' ? [proxy.mode, proxy.text] : [proxy.mode]
}

/** What decides which certificates a rule accepts. */
export function trustParts(trust: Trust): string[] {
  if (trust.kind === 'authority') return [trust.kind, trust.pem]
  return trust.kind === 'exact' ? [trust.kind, trust.certificate.fingerprint] : [trust.kind]
}

const isBuiltIn = (environmentId: string | null): boolean =>
  environmentId !== null && builtInMode(environmentId) !== null

/** A service that an environment leads to. A hash of base URL and tenant identifies it. */
export interface StoredService {
  environmentId: string
  service: string
}

/** Whether two things belong to the same service of the same environment. */
export const isSameService = (one: StoredService, other: StoredService): boolean =>
  one.environmentId === other.environmentId && one.service === other.service

/** The service that a target leads to, as what belongs to it is stored. */
export const storedServiceOf = (target: AccountTarget): StoredService => ({
  environmentId: target.environmentId ?? '',
  service: serviceIdentity(target),
})

type Destinations = Pick<Environments, 'destination'>

/**
 * The service that an environment leads to now, as what belongs to it is stored; null if that isn't known, or isn't the
 * service that the page names (`Environment.service`).
 */
export function serviceAt(
  environments: Destinations,
  environmentId: string,
  named?: string | null,
): StoredService | null {
  const known = environments.destination(environmentId)
  if (!known) return null
  const service = annotatedService(known.service)
  return named === undefined || annotatedService(named ?? '') === service ? { environmentId, service } : null
}

type Known = Pick<Environments, 'state'>

/** Tells whether there is an environment with an identifier now. */
export const existsIn =
  (environments: Known) =>
  (id: string): boolean =>
    environments.state().environments.some((one) => one.id === id)

/** Gives the service that an environment leads to now (`Environment.service`); null if that isn't known. */
export const serviceIn =
  (environments: Known) =>
  (id: string): string | null =>
    environments.state().environments.find((one) => one.id === id)?.service ?? null

/** Gives an environment's name; null if there is none. */
export const nameIn =
  (environments: Known) =>
  (id: string): string | null =>
    environments.state().environments.find((one) => one.id === id)?.name ?? null

/** Gives the account that an environment leads to now, as the journal keeps it; null if that isn't known. */
export const accountIn =
  (environments: Destinations) =>
  (id: string): string | null => {
    const target = environments.destination(id)?.target
    return target ? accountIdentity(target) : null
  }

const colours: Record<EnvironmentMode, EnvironmentColour> = { cloud: 'blue', 'self-hosted': 'teal' }

/** A built-in service runs on this machine, so it is reached without a proxy. */
export const builtInNetwork: NetworkSettings = { trust: { kind: 'system' }, proxy: { mode: 'none' } }

/** The mode of a built-in environment; null for every other identifier. */
export function builtInMode(id: string): EnvironmentMode | null {
  return environmentModes.find((mode) => builtInEnvironments[mode].id === id) ?? null
}

/** A built-in environment as the list shows it. `remembered` are integrations that were used with it. */
export function builtInEnvironment(
  mode: EnvironmentMode,
  baseUrl: string | null,
  service: string,
  remembered: readonly string[],
): Environment {
  return {
    ...builtInEnvironments[mode],
    storage: 'built-in',
    service,
    profile: {
      baseUrl,
      mode,
      colour: colours[mode],
      protected: false,
      readOnly: false,
      headerNames: [],
      integrations: [...new Set([sampleIntegrationId, ...remembered])],
      nicknames: {},
      trust: { kind: 'system' },
      proxy: { mode: 'none' },
    },
    problem: null,
  }
}
