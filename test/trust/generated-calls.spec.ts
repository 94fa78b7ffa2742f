import {
  calls,
  type CallName,
  type Environment,
  type EnvironmentDrafts,
  eventNames,
  isSecretMark,
  type Outcome,
} from '@contract'
import type { Bridge } from '@contract/ipc/names'
import type { ElectronApplication, Page } from '@playwright/test'
import fc from 'fast-check'
import { makeAuthority, makeSelfSigned } from '../support/main/certificates'
import {
  filledIn,
  type GeneratedCall,
  generatedCalls,
  type Places,
  withKept,
} from '../support/properties/generated-calls'
import { runs, seed } from '../support/properties/runs'
import { call } from '../e2e/support/bridge'
import { alone as test, expect } from '../e2e/support/fixtures'
import { RecordingService } from '../support/services/recording-service'

test.setTimeout(120_000 + runs * 10_000)

/** Answers dialogs with no, and opens nothing outside the application. */
async function sayNo(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ dialog, shell }) => {
    dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
    dialog.showOpenDialog = () => Promise.resolve({ canceled: true, filePaths: [] })
    dialog.showSaveDialog = () => Promise.resolve({ canceled: true, filePath: '' })
    shell.openPath = () => Promise.resolve('')
  })
}

/** The identifier of each environment's draft at the beginning of a case. */
const draftId = '00000000-0000-4000-8000-000000000001'

/** A compromised page, and what it knows. */
class TakenOver {
  /** How many secrets arrived where they belong, and how many of them in a creation. */
  arrived = 0
  filledIn = 0
  /** What each secret was entered for. */
  private readonly secrets = new Map<string, Set<RecordingService>>()
  private readonly refusalIds: string[] = []
  /** The marks of drafts' secrets, and their environments. */
  private marks: { mark: string; environmentId: string }[] = []
  private about: string | null = null
  private readonly answers: string[] = []
  /** How many requests of each service were checked. */
  private readonly looked = new Map<RecordingService, number>()
  private fresh: string[] = []
  private environments: Environment[] = []

  constructor(
    private readonly page: Page,
    private readonly services: Map<string, RecordingService>,
    private readonly proxy: RecordingService,
  ) {}

  /**
   * What an operator enters: an environment and a draft with a secret for each service, as they were before a case.
   */
  async prepare(): Promise<void> {
    const headers = [{ name: 'X-Api-Key', value: '@secret:0' }]
    const common = { mode: 'cloud', colour: 'brown', protected: false, integrations: [], headers }
    const network = { trust: { kind: 'system' }, proxy: { mode: 'none' } }
    for (const baseUrl of this.services.keys()) {
      const known = this.environments.find(({ profile }) => profile?.baseUrl === baseUrl)
      const name = known?.name ?? `At ${new URL(baseUrl).host}`
      const input = { ...common, ...network, id: known?.id ?? null, name, baseUrl }
      await this.make({ name: 'environments.save', input })
    }
    this.marks = []
    for (const baseUrl of this.services.keys()) {
      const { id } = this.environments.find(({ profile }) => profile?.baseUrl === baseUrl)!
      const entered = { name: 'drafted', secrets: [{ name: 'ONE', value: '@secret:0' }] }
      const draft = { id: draftId, content: { entered }, notes: null, sentAt: null }
      await this.make({ name: 'drafts.save', input: { environmentId: id, draft, current: true } })
      await this.make({ name: 'drafts.list', input: { environmentId: id } })
    }
  }

  async make({ name, input }: GeneratedCall): Promise<void> {
    this.fresh = []
    const find = (kind: string, number: number): string => this.find(kind, number)
    this.about = (filledIn((input as { environmentId?: string }).environmentId, find) as string) ?? null
    const named = filledIn(input, find)
    // Half of a page's calls work only in the current environment.
    if (this.about !== null) await call(this.page, 'environments.select', { id: this.about })
    const known = this.environments.find(({ id }) => id === (named as { id?: string | null }).id)
    const filled = withKept(named, known?.profile ?? null)
    this.enter(name, filled)
    const outcome = (await call(this.page, name, filled as never)) as Outcome<unknown>
    this.answers.push(JSON.stringify(outcome))
    if (!outcome.ok && outcome.failure.certificate?.id)
      this.refusalIds.unshift(outcome.failure.certificate.id)
    if (name === 'drafts.list' && outcome.ok) this.noteMarks(outcome.value as EnvironmentDrafts)
    if (!name.startsWith('environments.')) return
    const state = await call(this.page, 'app.state', {})
    if (!state.ok) throw new Error('The state is always there.')
    this.answers.push(JSON.stringify(state))
    this.environments = state.value.environments.filter(({ storage }) => storage !== 'built-in')
  }

  private noteMarks({ environmentId, drafts }: EnvironmentDrafts): void {
    for (const { content } of drafts) {
      for (const { value } of content.entered.secrets)
        if (isSecretMark(value)) this.marks.push({ mark: value, environmentId })
    }
  }

  /** Expects that since the last check, no secret arrived where it wasn't entered for, and the page got none back. */
  async expectNoLeak(): Promise<void> {
    const secretsIn = (text: string): string[] => text.match(/secret-\d+-value/g) ?? []
    for (const service of [...this.services.values(), this.proxy]) {
      const from = this.looked.get(service) ?? 0
      const inBodies = secretsIn(service.bodies.slice(from).join('\n'))
      const arrived = [...secretsIn(JSON.stringify(service.headers.slice(from))), ...inBodies]
      this.looked.set(service, service.headers.length)
      this.filledIn += inBodies.length
      const leaked = arrived.filter((secret) => !this.secrets.get(secret)?.has(service))
      expect(leaked, `at ${service.port}`).toEqual([])
      this.arrived += arrived.length
    }
    const events = await this.page.evaluate(() => (window as unknown as { heard: string[] }).heard.splice(0))
    expect([...this.answers.splice(0), ...events].flatMap(secretsIn)).toEqual([])
  }

  private find(kind: string, number: number): string {
    if (kind === 'secret') {
      const secret = `secret-${this.secrets.size + this.fresh.length + 1}-value`
      this.fresh.push(secret)
      return secret
    }
    const own = this.marks.filter(({ environmentId }) => environmentId === this.about)
    if (kind === 'mark') return (number === 0 ? own : this.marks).at(-1 - number)?.mark ?? 'none'
    const known =
      kind === 'environment'
        ? this.environments.map(({ id }) => id)
        : kind === 'refusal'
          ? this.refusalIds
          : []
    return known[number % Math.max(1, known.length)] ?? 'none'
  }

  /** A secret in a call is entered for the call's destination: the proxy, or else the service itself. */
  private enter(name: CallName, input: unknown): void {
    const parsed = calls[name].input.safeParse(input)
    for (const secret of this.fresh) this.secrets.set(secret, new Set())
    if (!parsed.success) return
    if (name === 'drafts.save' || name === 'deployments.create') {
      const known = this.environments.find(({ id }) => id === this.about)?.profile
      if (known?.baseUrl) this.enterFor({ ...known, baseUrl: known.baseUrl })
    }
    if (name === 'environments.save' || name === 'environments.check')
      this.enterFor(parsed.data as ReturnType<(typeof calls)['environments.save']['input']['parse']>)
  }

  private enterFor({
    baseUrl,
    proxy,
    trust,
  }: {
    baseUrl: string
    proxy: { mode: string }
    trust: { kind: string }
  }): void {
    const { origin, protocol } = new URL(baseUrl)
    const service = this.services.get(origin)
    // All these services run on this machine, for which Chromium doesn't consult PAC scripts.
    const isProxied = proxy.mode === 'manual'
    // Over TLS, the service has a certificate that only exact trust accepts. The proxy lacks it.
    const to =
      protocol === 'https:'
        ? trust.kind === 'exact' && !isProxied
          ? service
          : undefined
        : isProxied
          ? this.proxy
          : service
    for (const secret of this.fresh) if (to) this.secrets.get(secret)?.add(to)
  }
}

test('sends secrets only where they were entered for, whatever the page calls in whatever order', async ({
  app,
  page,
  slipway,
}) => {
  slipway.expectErrors(/Failed to load resource/)
  const one = await RecordingService.start()
  const other = await RecordingService.start()
  const overTls = await RecordingService.start(await makeSelfSigned())
  const proxy = await RecordingService.start()
  const services = new Map([
    [`http://127.0.0.1:${one.port}`, one],
    [`http://127.0.0.1:${other.port}`, other],
    [`https://localhost:${overTls.port}`, overTls],
  ])
  const places: Places = {
    baseUrls: [...services.keys(), `http://127.0.0.1:${one.port}/prefix`],
    pems: [(await makeAuthority()).pem],
    proxies: [{ host: '127.0.0.1', port: proxy.port }],
  }
  await sayNo(app)
  await page.evaluate((names) => {
    const { slipway: bridge } = window as unknown as { slipway: Bridge }
    const heard: string[] = []
    Object.assign(window, { heard })
    for (const name of names) bridge.events[name]((payload) => heard.push(payload))
  }, eventNames)
  const attacker = new TakenOver(page, services, proxy)
  await fc.assert(
    fc.asyncProperty(generatedCalls(places), async (made) => {
      await attacker.prepare()
      for (const call of made) await attacker.make(call)
      await attacker.expectNoLeak()
    }),
    // The application keeps running between cases, so shrinking would find no smaller counterexample.
    { numRuns: runs, seed, endOnFailure: true },
  )
  expect(attacker.arrived, 'secrets that arrived where they belong').toBeGreaterThan(0)
  expect(attacker.filledIn, 'secrets of creations that arrived').toBeGreaterThan(0)
  for (const service of [one, other, overTls, proxy]) service.close()
})
