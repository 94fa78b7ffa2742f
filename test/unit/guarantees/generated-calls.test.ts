import { randomUUID } from 'node:crypto'
import {
  type CallName,
  callNames,
  calls,
  type CreateRequest,
  type EnvironmentProfile,
  fail,
  failure,
  succeed,
} from '@contract'
import { isSecretMark } from '@contract/app/drafts'
import fc from 'fast-check'
import { beforeAll, expect, it, vi } from 'vitest'
import { describeAll } from '../../../electron/main/http/certificates'
import { createCreation } from '../../../electron/main/features/deployments/creation'
import { createDeployments } from '../../../electron/main/features/deployments/list'
import { createReconciler } from '../../../electron/main/features/deployments/reconciler'
import { createDrafts } from '../../../electron/main/stored/drafts'
import { withoutState } from '../../support/main/state'
import { createEnvironments, type Environments } from '../../../electron/main/environments'
import { secretsPlaceOf } from '../../../electron/main/environments/known'
import type { HttpClient, HttpRequest, HttpTarget } from '../../../electron/main/http/client'
import { createRefusals } from '../../../electron/main/http/trust'
import { answerCall, type Handlers, RunningCalls, noteFailures } from '../../../electron/main/ipc'
import { createFailedRevisions } from '../../../electron/main/features/life/revisions'
import { createOffersReader } from '../../../electron/main/features/life/offers'
import { createLife } from '../../../electron/main/features/life'
import { createRepositories } from '../../../electron/main/features/repositories'
import { makeAuthority, makeSelfSigned } from '../../support/main/certificates'
import {
  filledIn,
  type GeneratedCall,
  generatedCalls,
  type Places,
  withKept,
} from '../../support/properties/generated-calls'
import { runs } from '../../support/properties/runs'
import { jsonBody } from '../../support/builders/answer-bodies'
import { FakeKeychain, fakeBuiltIn } from '../../support/main/environments'

// Dialogs are answered with no.
vi.mock('electron', () => ({
  BrowserWindow: { getAllWindows: () => [], getFocusedWindow: () => null },
  clipboard: { writeText: () => undefined },
  dialog: { showOpenDialog: () => Promise.resolve({ canceled: true, filePaths: [] }) },
  Notification: { isSupported: () => false },
}))

// The list of the environments isn't under test, and its disk is slow.
vi.mock('../../../electron/main/files', () => ({
  readJson: (_path: string, parse: (value: unknown) => unknown) => parse({}),
  writeAtomically: () => Promise.resolve(),
}))

const places: Places = {
  baseUrls: [
    'http://a.example',
    'https://a.example',
    'https://A.example:443/prefix/',
    'https://a.example./',
    'https://a.example:8443',
    'https://b.example',
    'http://[::1]:80',
  ],
  pems: [],
  proxies: [
    { host: 'one.example', port: 3128 },
    { host: 'One.example', port: 3128 },
    { host: 'two.example', port: 3128 },
  ],
}
let shown: ReturnType<typeof describeAll>

beforeAll(async () => {
  Object.assign(places, { pems: [(await makeAuthority()).pem, (await makeAuthority()).pem] })
  shown = describeAll((await makeSelfSigned()).pem + (await makeSelfSigned()).pem)
})

/** A request's destination and route as one text: what a secret was entered for is compared with where it arrives. */
function routeOf({ baseUrl, network }: Pick<HttpTarget, 'baseUrl' | 'network'>): string {
  const { trust, proxy } = network!
  const rule = trust.kind === 'exact' ? trust.certificate.fingerprint : JSON.stringify(trust)
  return [new URL(baseUrl).origin, rule, proxyOf(proxy)].join(' | ')
}

function proxyOf(proxy: EnvironmentProfile['proxy']): string {
  return proxy.mode === 'manual' ? `${proxy.host.toLowerCase()}:${proxy.port}` : JSON.stringify(proxy)
}

/**
 * What the secrets of a creation are entered for: the account and the route. Headers are the same in any case and
 * order.
 */
function bodyPlaceOf(target: HttpTarget): string {
  const headers = Object.entries(target.headers).map(([name, value]) => `${name.toLowerCase()}: ${value}`)
  return ['body', target.environmentId, routeOf(target), ...headers.sort()].join(' | ')
}

/** A main process without windows, disk and network, driven by a compromised page. */
class World {
  /** Secrets that arrived where they weren't entered for. */
  readonly leaks: string[] = []
  /** How many secrets of drafts were sent by their marks. */
  filledIn = 0
  /** How many calls had a mark whose value belongs elsewhere. */
  refused = 0
  /**
   * What each secret was entered for: a header for the route, a proxy's password for the proxy, a deployment's secret
   * for the environment with its route and headers.
   */
  private readonly entered = new Map<string, Set<string>>()
  /** The marks that the page got, with their environments. */
  private readonly marks = new Map<string, string>()
  /** The environment that was saved last. */
  private edited: string | null = null
  /** The environment that the call is about. */
  private about: string | null = null
  private readonly refusalIds: string[] = []
  private readonly answers: string[] = []
  private readonly reported: unknown[] = []
  private readonly running = new RunningCalls()
  private readonly refusals = createRefusals()
  private readonly environments: Environments
  private readonly handlers: Handlers
  private fresh: string[] = []
  private secrets = 0
  private requests = 0

  constructor() {
    const http: HttpClient = {
      request: async (request) => {
        this.arrived(request)
        return this.answer(request.target)
      },
    }
    const report = (error: unknown): unknown => this.reported.push(error)
    this.environments = createEnvironments({
      keychain: new FakeKeychain(),
      builtIn: fakeBuiltIn(),
      http,
      refusals: this.refusals,
      ask: () => Promise.resolve(false),
      userDataFolder: '/nowhere',
    })
    this.environments.onChange((state) => this.answers.push(JSON.stringify(state)))
    const journal = {
      list: () => Promise.resolve([]),
      creations: () => Promise.resolve([]),
      isLocked: () => Promise.resolve(false),
      beginCreation: () => Promise.resolve('entry'),
      endCreation: () => Promise.resolve(),
      entries: () => Promise.resolve([]),
      beginChange: () => Promise.resolve('change'),
      endChange: () => Promise.resolve(),
      noteFailure: () => Promise.resolve(),
      find: () => Promise.resolve(null),
      isIncomplete: () => Promise.resolve(false),
    }
    const none = failure('not-found', 'There is none.')
    const ask = () => Promise.resolve(fail(none))
    const absent = <Part>(): Part =>
      new Proxy({}, { get: () => () => Promise.resolve(fail(none)) }) as unknown as Part
    const drafts = createDrafts({
      state: withoutState,
      placeOf: (environmentId) => {
        const to = this.environments.destination(environmentId)
        return to && secretsPlaceOf(to)
      },
      changed: () => undefined,
      report,
    })
    const offers = createOffersReader({ http, personal: absent(), environments: this.environments })
    const { environments } = this
    const reconciler = createReconciler({ environments, http, journal: journal as never, report })
    const context = { environments, http, journal: journal as never, reconciler, drafts, report }
    const life = createLife(
      {
        ...{ environments, http, offers },
        journal: journal as never,
        failures: createFailedRevisions(environments, http, offers),
      },
      () => Promise.resolve(null),
    )
    const own: Partial<Handlers> = {
      ...life,
      ...createDeployments(context),
      'deployments.create': createCreation(context),
      'deployments.lookUp': reconciler.lookUp,
      'deployments.claim': reconciler.claim,
      'deployments.dismiss': reconciler.dismiss,
      ...createRepositories(environments, http, report),
      'app.state': () =>
        succeed({
          version: '0',
          engine: '',
          trialEngine: false,
          connection: null as never,
          ...environments.state(),
        }),
      'environments.save': environments.save,
      'environments.remove': ({ id, confirmedName }) => environments.remove(id, confirmedName),
      'environments.select': ({ id }) => environments.select(id),
      'environments.reorder': ({ ids }) => environments.reorder(ids),
      'environments.check': environments.check,
      'environments.trust': ({ id, refusalId }) => environments.trust(id, refusalId),
      'drafts.list': async ({ environmentId }) => succeed(await drafts.list(environmentId)),
      'drafts.save': ({ environmentId, draft, current }) =>
        drafts.save(environmentId, draft as never, current),
      'drafts.remove': ({ environmentId, id }) => succeed(drafts.remove(environmentId, id)),
      'drafts.saveTemplate': ({ environmentId, template }) =>
        drafts.saveTemplate(environmentId, template as never),
    }
    this.handlers = noteFailures(
      { ...Object.fromEntries(callNames.map((name) => [name, ask])), ...own } as Handlers,
      { environments, journal, reconciler, report },
    )
  }

  /**
   * What an operator entered before: environments with secrets, over plain HTTP and through a proxy, and their
   * drafts.
   */
  async prepare(): Promise<void> {
    const secret = '@secret:0'
    const common = { id: null, mode: 'cloud', colour: 'brown', protected: false, integrations: [] }
    const headers = ['X-Api-Key', 'X-Tenant-Id'].map((name) => ({ name, value: secret }))
    const credentials = { userName: 'ann', password: secret }
    const proxy = { mode: 'manual', ...places.proxies[0], credentials }
    const trust = { kind: 'system' }
    for (const environment of [
      { name: 'One', baseUrl: 'http://a.example', headers, trust, proxy: { mode: 'system' } },
      { name: 'Two', baseUrl: 'https://a.example', headers, trust, proxy },
      // Two that differ only in their identifiers, so that every setting can be changed separately.
      { name: 'Three', baseUrl: 'http://a.example', headers: [], trust, proxy: { mode: 'none' } },
      { name: 'Four', baseUrl: 'http://a.example', headers: [], trust, proxy: { mode: 'none' } },
    ]) {
      await this.make({ name: 'environments.save', input: { ...common, ...environment } })
    }
    for (const number of [0, 1, 2, 3]) {
      const environmentId = this.own(number)
      const content = { entered: { name: 'drafted', secrets: [{ name: 'ONE', value: secret }] } }
      const draft = { id: randomUUID(), content, notes: null, sentAt: null }
      await this.make({ name: 'drafts.save', input: { environmentId, draft, current: true } })
      await this.make({ name: 'drafts.list', input: { environmentId } })
    }
  }

  async make({ name, input }: GeneratedCall): Promise<void> {
    this.fresh = []
    const find = (kind: string, number: number): string => this.find(kind, number)
    const { environmentId } = input as { environmentId?: string }
    this.about = (filledIn(environmentId, find) as string | undefined) ?? null
    const named = filledIn(input, find)
    const { id } = named as { id?: string | null }
    // Half of what a page can do works only in the current environment.
    if (this.about !== null) await this.environments.select(this.about)
    const known = this.environments.state().environments.find((one) => one.id === id)
    const filled = withKept(named, known?.profile ?? null)
    const parsed = calls[name].input.safeParse(filled)
    // What a call enters belongs to the call's destination, or to the environment that it names.
    if (parsed.success) await this.enter(name, parsed.data)
    const text = await answerCall(
      { name, caller: 1, callId: 'call', input: JSON.stringify(filled) },
      this.handlers,
      this.running,
      (error) => this.reported.push(error),
    )
    this.answers.push(text)
    if (text.includes('Enter this value again')) this.refused += 1
    const answer = JSON.parse(text) as {
      value?: { id?: string; drafts?: { content: { entered: { secrets: { value: string }[] } } }[] }
      failure?: { certificate?: { id: string | null } }
    }
    if (name === 'environments.save' && answer.value?.id !== undefined) this.edited = answer.value.id
    const refusalId = answer.failure?.certificate?.id
    if (refusalId) this.refusalIds.unshift(refusalId)
    for (const { content } of answer.value?.drafts ?? []) {
      for (const { value } of content.entered.secrets) {
        if (isSecretMark(value) && this.about !== null && !this.marks.has(value)) {
          this.marks.set(value, this.about)
        }
      }
    }
  }

  expectNoLeak(): void {
    expect(this.leaks).toEqual([])
    expect(this.reported).toEqual([])
    for (const secret of this.entered.keys()) {
      expect(this.answers.filter((text) => text.includes(secret))).toEqual([])
    }
  }

  get sent(): number {
    return this.requests
  }

  private find(kind: string, number: number): string {
    if (kind === 'secret') {
      const secret = `secret-${(this.secrets += 1)}-value`
      this.fresh.push(secret)
      return secret
    }
    if (kind === 'environment') return (number === 0 && this.edited) || this.own(number)
    const marks = [...this.marks.keys()]
    const own = marks.filter((mark) => this.marks.get(mark) === this.about)
    if (kind === 'mark' && number === 0 && own.length > 0) return own.at(-1)!
    const known = kind === 'mark' ? marks : this.refusalIds
    return known[number % Math.max(1, known.length)] ?? 'none'
  }

  private own(number: number): string {
    const own = this.environments.state().environments.filter(({ storage }) => storage !== 'built-in')
    return own[number % Math.max(1, own.length)]?.id ?? 'none'
  }

  private async enter(name: CallName, input: unknown): Promise<void> {
    if (name === 'drafts.save' || name === 'deployments.create') {
      const ready = await this.environments.ready((input as { environmentId: string }).environmentId)
      const place = ready.ok ? bodyPlaceOf(ready.value.target) : null
      for (const secret of this.fresh) this.entered.set(secret, new Set(place === null ? [] : [place]))
      return
    }
    const { baseUrl, proxy, trust } = input as Partial<EnvironmentProfile> & {
      trust?: { refusalId?: string | null }
    }
    const id = (input as { id?: string | null }).id
    const profile = this.environments.state().environments.find((one) => one.id === id)?.profile
    for (const secret of this.fresh) {
      const places = this.entered.get(secret) ?? new Set()
      this.entered.set(secret, places)
      if (baseUrl === undefined || proxy === undefined || trust === undefined) continue
      const isPassword = proxy.mode === 'manual' && proxy.credentials?.password === secret
      if (isPassword) {
        places.add(proxyOf(proxy))
        continue
      }
      const refusal = trust.kind === 'exact' && trust.refusalId ? this.refusals.find(trust.refusalId) : null
      const certificate =
        refusal?.certificate ?? (profile?.trust.kind === 'exact' ? profile.trust.certificate : null)
      if (trust.kind === 'exact' && certificate === null) continue
      const rule = trust.kind === 'exact' ? { kind: 'exact' as const, certificate: certificate! } : trust
      places.add(routeOf({ baseUrl, network: { trust: rule as never, proxy } }))
    }
  }

  private arrived({ target, body }: HttpRequest): void {
    this.requests += 1
    const { secrets = [] } = (body ?? {}) as Partial<CreateRequest>
    for (const { value } of secrets) this.noteOfBody(value, target)
    const route = routeOf(target)
    for (const value of Object.values(target.headers)) this.note(value, route)
    const proxy = target.network!.proxy
    if (proxy.mode === 'manual' && proxy.credentials) this.note(proxy.credentials.password, proxyOf(proxy))
  }

  /** A mark that is sent unchanged reveals nothing. */
  private noteOfBody(value: string, target: HttpTarget): void {
    if (!/^secret-\d+-value$/.test(value)) return
    if (!this.fresh.includes(value)) this.filledIn += 1
    this.note(value, bodyPlaceOf(target))
  }

  private note(secret: string, place: string): void {
    if (!this.entered.get(secret)?.has(place)) this.leaks.push(`${secret} at ${place}`)
  }

  /** Services over TLS show changing certificates that only exact trust accepts. */
  private answer(target: HttpTarget): Awaited<ReturnType<HttpClient['request']>> {
    const certificate = shown[this.requests % 2]!
    const { trust } = target.network!
    const accepted = trust.kind === 'exact' && trust.certificate.fingerprint === certificate.fingerprint
    if (target.baseUrl.startsWith('https:') && !accepted) {
      const { environmentId } = target
      const { origin, hostname: host } = new URL(target.baseUrl)
      const id = this.refusals.record({ environmentId, origin, trust, certificate })
      const refused = { environmentId, host, certificate, expected: null, trustable: true, id }
      return fail(failure('certificate', 'Refused.', { certificate: refused }))
    }
    return succeed({ status: 200, body: jsonBody({ resources: [], offset: 0 }), durationMs: 1 })
  }
}

it('sends a secret only to the destination it was entered for, whatever a page calls in whatever order', async () => {
  let [sent, filledIn, refused] = [0, 0, 0]
  await fc.assert(
    fc.asyncProperty(generatedCalls(places), async (made) => {
      const world = new World()
      await world.prepare()
      for (const one of made) await world.make(one)
      world.expectNoLeak()
      sent += world.sent
      filledIn += world.filledIn
      refused += world.refused
    }),
  )
  expect(sent, 'requests that were looked at').toBeGreaterThan(runs / 2)
  expect(filledIn, 'secrets of drafts that were sent by their marks').toBeGreaterThan(runs / 20)
  expect(refused, 'secrets of drafts that must be entered again').toBeGreaterThan(runs / 20)
})
