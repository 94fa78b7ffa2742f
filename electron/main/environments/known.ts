/**
 * What is known of the environments: where each leads, which service and account that is, and what the window shows.
 * Whoever asks a service begins here. `index.ts` reads, adds, edits and removes environments.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type AppState,
  type Environment,
  type EnvironmentColour,
  type EnvironmentMode,
  type EnvironmentProfile,
  type EnvironmentView,
  type Failure,
  type KeychainState,
  type NetworkSettings,
  type Outcome,
  type Proxy,
  type ProxyInput,
  type ProxyView,
  type Trust,
  type TrustView,
  builtInEnvironments,
  cancelledFailure,
  environmentModes,
  fail,
  failure,
  failureText,
  foldName,
  succeed,
  systemNetwork,
} from '@contract'
import { annotatedService } from '@contract/app/personal-values'
import { sampleIntegrationId } from '@contract/deployment-api/request/limits'
import { z } from 'zod'
import { raceCancellation } from '../async'
import { describeAll, normalizeHost } from '../http/certificates'
import type { HttpTarget } from '../http/client'
import type { BuiltInService } from '../processes/built-in-service'
import type { ReadEntry } from './profile'

/**
 * What is needed to call the service of an environment. It contains header values, so it never leaves the main process.
 */
export interface ReadyEnvironment {
  id: string
  name: string
  mode: EnvironmentMode
  protected: boolean
  /** Whether nothing may be created there. */
  readOnly: boolean
  target: HttpTarget
}

/** What an environment leads to, as far as that is known now, and what stands for it in the window's state. */
export type Destination = Pick<ReadyEnvironment, 'id' | 'name' | 'target'> & { service: string }

/** The part of the window's state that environments own. */
export type EnvironmentsState = Pick<AppState, 'environments' | 'currentEnvironmentId' | 'keychain'>

/** What a request needs of the environments. */
type Asked = Pick<EnvironmentList, 'state' | 'ready'>

/**
 * Gives what is needed to call the service of an environment. It must be the current one, before and after the wait.
 * Failures: `environment-changed`, `cancelled`, the keychain's and `built-in-service`.
 */
export async function readyEnvironment(
  environments: Asked,
  id: string,
  signal: AbortSignal,
): Promise<Outcome<ReadyEnvironment>> {
  const isCurrent = (): boolean => environments.state().currentEnvironmentId === id
  if (!isCurrent()) return fail(environmentChangedFailure)
  const ready = await environments.ready(id, signal)
  if (!isCurrent()) return fail(environmentChangedFailure)
  if (signal.aborted) return fail(cancelledFailure)
  return ready
}

/**
 * Calls the service of an environment, which must be the current one. Gives the answer only if the environment still
 * leads to the service and the account that were called. It may have been edited meanwhile, and another service's
 * answer is never shown as this one's. Failures: those of `readyEnvironment` and of `ask`.
 */
export async function askService<Answer>(
  environments: Asked,
  id: string,
  signal: AbortSignal,
  ask: (target: HttpTarget) => Promise<Outcome<Answer>>,
): Promise<Outcome<Answer>> {
  const ready = await readyEnvironment(environments, id, signal)
  if (!ready.ok) return ready
  const answer = await ask(ready.value.target)
  if (!answer.ok) return answer
  const now = await readyEnvironment(environments, id, signal)
  if (!now.ok) return now
  return isSameAccount(now.value, ready.value) ? answer : fail(environmentChangedFailure)
}

/** Why nothing is sent with settings from before an edit. */
const editedFailure: Failure = failure(
  'environment-changed',
  'The environment was edited in the meantime, so nothing was sent.',
  { advice: 'Check its settings, then create the deployment again if you still want it there.' },
)

/**
 * Checks that an environment hasn't changed in any setting since it was made ready, and is still the current one. Call
 * it before something is sent. Failures: those of `readyEnvironment`.
 */
export async function ensureUnchanged(
  environments: Asked,
  before: ReadyEnvironment,
  signal: AbortSignal,
): Promise<Outcome<null>> {
  const now = await readyEnvironment(environments, before.id, signal)
  if (!now.ok) return now
  return isDeepStrictEqual(now.value, before) ? succeed(null) : fail(editedFailure)
}

/**
 * Whether an environment was edited since and leads to another service or account, or leads there by another route. No
 * as long as that can't be read.
 */
export async function leadsElsewhere(environments: Asked, before: ReadyEnvironment): Promise<boolean> {
  const now = await environments.ready(before.id, new AbortController().signal)
  return now.ok && !isSameAccount(now.value, before)
}

const isSameAccount = (one: ReadyEnvironment, other: ReadyEnvironment): boolean =>
  accountIdentity(one.target) === accountIdentity(other.target)

export function notFound(): Failure {
  return failure('not-found', 'This environment no longer exists.', {
    advice: 'It was removed. Choose another one.',
  })
}

/** What was asked of a protected environment needs its name as typed. */
export function notConfirmed(name: string): Failure {
  return failure('confirmation-needed', `"${name}" is a protected environment.`, {
    advice: "Type the environment's name to confirm.",
  })
}

/** Why nothing may be changed at the service of an environment; null if it may. */
export function whyNotAllowed(
  { name, readOnly, protected: isProtected }: { name: string; readOnly: boolean; protected: boolean },
  confirmedName: string | null,
): Failure | null {
  if (readOnly) {
    return failure('not-allowed', `"${name}" is read-only, so nothing was sent.`, {
      advice: 'Use another environment, or turn off "Read-only" under Environments.',
    })
  }
  return isProtected && confirmedName !== name ? notConfirmed(name) : null
}

/** The environment of a call is no longer the current one, or now leads elsewhere. */
export const environmentChangedFailure: Failure = failure(
  'environment-changed',
  'The environment was changed in the meantime.',
  { advice: 'If you still want to do this, do it again in the environment shown now.' },
)

/** Waits for an outcome until the signal aborts. The work goes on, since other callers may share it. */
export async function untilCancelled<Value>(
  work: Promise<Outcome<Value>>,
  signal: AbortSignal | undefined,
): Promise<Outcome<Value>> {
  if (!signal) return await work
  return (await raceCancellation(work, signal)) ?? fail(cancelledFailure)
}

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

type Destinations = Pick<EnvironmentList, 'destination'>

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

type Known = Pick<EnvironmentList, 'state'>

const find = (environments: Known, id: string): Environment | undefined =>
  environments.state().environments.find((one) => one.id === id)

/** Tells whether there is an environment with an identifier now. */
export const existsIn =
  (environments: Known) =>
  (id: string): boolean =>
    find(environments, id) !== undefined

/** Gives the service that an environment leads to now (`Environment.service`); null if that isn't known. */
export const serviceIn =
  (environments: Known) =>
  (id: string): string | null =>
    find(environments, id)?.service ?? null

/** Gives an environment's name; null if there is none. */
export const nameIn =
  (environments: Known) =>
  (id: string): string | null =>
    find(environments, id)?.name ?? null

/** Gives the account that an environment leads to now, as the journal keeps it; null if that isn't known. */
export const accountIn =
  (environments: Destinations) =>
  (id: string): string | null => {
    const target = environments.destination(id)?.target
    return target ? accountIdentity(target) : null
  }

/** Tells where an environment leads. The keychain is asked only with `mayAsk`. */
export const targetIn =
  (environments: Asked & Destinations) =>
  async (environmentId: string, mayAsk: boolean): Promise<Outcome<AccountTarget>> => {
    const known = environments.destination(environmentId)
    if (known) return succeed(known.target)
    if (!mayAsk) return fail(failure('keychain-unresponsive', "Its profile isn't known."))
    const ready = await environments.ready(environmentId)
    return ready.ok ? succeed(ready.value.target) : ready
  }

/** The mode of a built-in environment; null for every other identifier. */
export function builtInMode(id: string): EnvironmentMode | null {
  return environmentModes.find((mode) => builtInEnvironments[mode].id === id) ?? null
}

/**
 * Where the requests of a profile go.
 *
 * @param environmentId null for a draft that is being checked
 */
export function targetOf(
  environmentId: string | null,
  { baseUrl, headers, trust, proxy }: EnvironmentProfile,
): HttpTarget & { network: NetworkSettings } {
  return {
    environmentId,
    baseUrl,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    network: { trust, proxy },
  }
}

/**
 * The file beside the keychain: identifiers, names and order of environments, and nothing of their profiles.
 */
export const environmentIndexSchema = z.strictObject({
  version: z.literal(1).default(1),
  environments: z.array(z.strictObject({ id: z.string().min(1), name: z.string() })).default([]),
  current: z.string().default(builtInEnvironments.cloud.id),
  /** Integrations that were used with a built-in environment, newest first. */
  integrations: z.record(z.string(), z.array(z.string())).default({}),
})

type EnvironmentIndex = z.infer<typeof environmentIndexSchema>

/** An environment. `problem` says why it has no profile. */
export interface KnownEnvironment {
  readonly id: string
  readonly name: string
  readonly storage: Environment['storage']
  readonly profile: EnvironmentProfile | null
  readonly problem: Failure | null
}

/**
 * The environments that Slipway knows, the current one, where each leads, and what the keychain answered last. `emit` and
 * `noteKeychain` report changes to listeners, so that an operation with several changes reports them together.
 */
export class EnvironmentList {
  readonly #own = new Map<string, KnownEnvironment>()
  /** Integrations that were used with the built-in environments. */
  readonly #integrations: EnvironmentIndex['integrations']
  #current: string
  #keychain: KeychainState = { state: 'unknown', message: null }
  readonly #listeners = new Set<(state: EnvironmentsState) => void>()

  /**
   * @param index what the file has
   * @param readProfile reads the profile of an environment that has none yet from the keychain
   */
  constructor(
    { environments, integrations, current }: EnvironmentIndex,
    private readonly builtIn: BuiltInService,
    private readonly readProfile: (id: string) => Promise<Outcome<EnvironmentProfile>>,
  ) {
    for (const { id, name } of environments) {
      this.#own.set(id, { id, name, storage: 'keychain', profile: null, problem: notReadYet })
    }
    this.#integrations = integrations
    this.#current = this.find(current) ? current : builtInEnvironments.cloud.id
    builtIn.onChange(() => this.emit())
  }

  get keychain(): KeychainState {
    return this.#keychain
  }

  /** An environment, a built-in one included. */
  find(id: string): KnownEnvironment | undefined {
    const mode = builtInMode(id)
    return mode ? this.#builtIn(mode) : this.#own.get(id)
  }

  /** A built-in environment. Its service runs on this machine, so it is reached without a proxy. */
  #builtIn(mode: EnvironmentMode): KnownEnvironment {
    const { id, name } = builtInEnvironments[mode]
    return {
      ...{ id, name, storage: 'built-in', problem: null },
      profile: {
        ...{ name, mode, colour: colours[mode], protected: false, readOnly: false, nicknames: {} },
        baseUrl: this.builtIn.running(mode)?.baseUrl ?? '',
        headers: [],
        integrations: [...new Set([sampleIntegrationId, ...(this.#integrations[id] ?? [])])],
        trust: { kind: 'system' },
        proxy: { mode: 'none' },
      },
    }
  }

  #all(): KnownEnvironment[] {
    return [...environmentModes.map((mode) => this.#builtIn(mode)), ...this.own()]
  }

  /** The environments that the operator added. */
  own(): KnownEnvironment[] {
    return [...this.#own.values()]
  }

  /** Remembers integrations that were used with a built-in environment. */
  setIntegrations(builtInId: string, integrations: string[]): void {
    this.#integrations[builtInId] = integrations
  }

  /** Whether another environment has the name. */
  isNameTaken(name: string, id: string): boolean {
    return this.#all().some((other) => other.id !== id && foldName(other.name) === foldName(name))
  }

  /** What the window shows. */
  readonly state = (): EnvironmentsState => ({
    environments: this.#all().map(show),
    currentEnvironmentId: this.#current,
    keychain: this.#keychain,
  })

  /** Calls `listener` after every change of the state. Gives the function that removes it. */
  readonly onChange = (listener: (state: EnvironmentsState) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What an environment leads to; null while its profile is unknown. */
  readonly destination = (id: string): Destination | null => {
    const { name, profile } = this.find(id) ?? {}
    if (name === undefined || !profile) return null
    return { id, name, target: targetOf(id, profile), service: serviceOf(id, profile) }
  }

  /** Reads the profile from the keychain, or starts the built-in service, unless that was done before. */
  readonly ready = (id: string, signal?: AbortSignal): Promise<Outcome<ReadyEnvironment>> =>
    untilCancelled(this.#ready(id), signal)

  async #ready(id: string): Promise<Outcome<ReadyEnvironment>> {
    const builtIn = builtInMode(id)
    const started = builtIn && (await this.builtIn.start(builtIn, () => this.#current === id))
    if (started && !started.ok) return started
    const known = this.find(id)?.profile
    const read = known ? succeed(known) : await this.readProfile(id)
    if (!read.ok) return read
    const { mode, protected: isProtected, readOnly, name } = read.value
    const ofBuiltIn = started && {
      baseUrl: started.value.baseUrl,
      headers: { 'X-Api-Key': started.value.apiKey },
    }
    return succeed({
      ...{ id, name: this.find(id)?.name ?? name, mode, protected: isProtected, readOnly },
      target: { ...targetOf(id, read.value), ...ofBuiltIn },
    })
  }

  /** Gives the listeners the state. */
  emit(): void {
    const state = this.state()
    for (const listener of this.#listeners) listener(state)
  }

  /** Notes the failure of the last call of the keychain, or null if it succeeded, and emits the state. */
  noteKeychain(reason: Failure | null): void {
    this.#keychain = stateAfter(reason)
    this.emit()
  }

  /** What the file has to have. */
  index(): EnvironmentIndex {
    const environments = this.own().flatMap(({ id, name, storage }) =>
      storage === 'keychain' ? { id, name } : [],
    )
    return { version: 1, environments, current: this.#current, integrations: this.#integrations }
  }

  select(id: string): void {
    this.#current = id
  }

  /** Puts the environments that the operator added into an order; those that it doesn't name come after them. */
  reorder(ids: readonly string[]): void {
    const before = new Map(this.#own)
    this.#own.clear()
    for (const id of [...ids, ...before.keys()]) {
      const environment = before.get(id)
      if (environment) this.#own.set(id, environment)
    }
  }

  /** Adds or replaces an environment whose profile is in the keychain, or only in this session. */
  put(id: string, profile: EnvironmentProfile, storage: KnownEnvironment['storage']): void {
    this.#own.set(id, { id, name: profile.name, storage, profile, problem: null })
  }

  remove(id: string): void {
    this.#own.delete(id)
    if (this.#current === id) this.#current = builtInEnvironments.cloud.id
  }

  /** Applies the keychain's entry for an environment; null if it has none. */
  setEntry(id: string, entry: ReadEntry | null): void {
    const environment = this.#own.get(id)
    if (!environment) return
    if (entry?.ok) this.put(id, entry.profile, 'keychain')
    else {
      const problem = entry ? failure('not-allowed', entry.problem) : gone
      this.#own.set(id, { ...environment, profile: null, problem })
    }
  }

  /** Notes why profiles couldn't be read, for every environment that still waits for the keychain. */
  failReading(problem: Failure): void {
    for (const environment of this.own()) {
      if (waitsForKeychain(environment)) this.#own.set(environment.id, { ...environment, problem })
    }
  }
}

const notReadYet = failure('keychain-unresponsive', "Its profile hasn't been read from the keychain yet.", {
  retryable: true,
})

export const gone = failure('not-found', 'Its profile is no longer in the keychain.', {
  advice: 'It was deleted there. Enter it again, or remove the environment.',
})

/** Whether an environment has no profile because the keychain couldn't be read. */
export const waitsForKeychain = ({ problem }: KnownEnvironment): boolean =>
  problem?.code.startsWith('keychain-') ?? false

/** The `service` of an environment with this profile. */
const serviceOf = (id: string, profile: EnvironmentProfile): string => accountIdentity(targetOf(id, profile))

/** What was shown before; an environment that is edited is another object. */
const shown = new WeakMap<KnownEnvironment, Environment>()

/** An environment as the window shows it. */
export function show(own: KnownEnvironment): Environment {
  const { id, name, storage, profile, problem } = own
  const view = shown.get(own) ?? {
    ...{ id, name, storage },
    profile: profile && viewOf(profile),
    service: profile && serviceOf(id, profile),
    problem: problem && failureText(problem),
  }
  shown.set(own, view)
  return view
}

/** The state of the keychain after a call that failed, or succeeded (null). */
function stateAfter(reason: Failure | null): KeychainState {
  if (reason === null) return { state: 'available', message: null }
  const message = failureText(reason)
  if (reason.code === 'keychain-missing') {
    const meanwhile = 'Until then, environments that you add are kept only until Slipway closes.'
    return { state: 'missing', message: `${message} ${meanwhile}` }
  }
  return { state: reason.code === 'keychain-unresponsive' ? 'unresponsive' : 'locked', message }
}

/** What the renderer may know about a profile: everything but the values of headers and the password of a proxy. */
function viewOf({ name: _name, headers, trust, proxy, ...rest }: EnvironmentProfile): EnvironmentView {
  return {
    ...rest,
    // Null while a built-in service doesn't run.
    baseUrl: rest.baseUrl || null,
    headerNames: headers.map((header) => header.name),
    trust: trustView(trust),
    proxy: proxyView(proxy),
  }
}

function trustView(trust: Trust): TrustView {
  return trust.kind === 'authority' ? { ...trust, certificates: describeAll(trust.pem) } : trust
}

function proxyView(proxy: Proxy): ProxyView {
  if (proxy.mode !== 'manual') return proxy
  const { mode, host, port, credentials } = proxy
  return { mode, host, port, userName: credentials?.userName ?? null }
}

const colours: Record<EnvironmentMode, EnvironmentColour> = { cloud: 'blue', 'self-hosted': 'teal' }
