import {
  type CallInput,
  canBeClaimed,
  type CreateRequest,
  type CreationEntry,
  fail,
  failure,
  type FailureCode,
  type Outcome,
  isCreatedLater,
  isUnconfirmed,
  succeed,
} from '@contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeployments } from '../../../../../../electron/main/features/deployments'
import { absenceMs } from '../../../../../../electron/main/features/deployments/attempts/absence'
import { createReconciler } from '../../../../../../electron/main/features/deployments/reconcile'
import { createServiceClocks } from '../../../../../../electron/main/features/deployments/attempts/service-clocks'
import { readDate, readTime } from '../../../../../../electron/main/features/deployments/attempts/times'
import type { Environments } from '../../../../../../electron/main/environments/model/types'
import type { HttpAnswer, HttpRequest } from '../../../../../../electron/main/http/types'
import { createJournal, type Journal } from '../../../../../../electron/main/stored/journal'
import { stateIn } from '../../../../../support/main/state'
import { temporaryFolder } from '../../../../../support/temporary-folder'
import { jsonBody } from '../../../../../support/builders/json-body'
import {
  type WayOfWriting,
  waysOfWriting,
  writtenTime,
  zonesOfMachine,
} from '../../../../../support/builders/written-times'
import { withoutDrafts } from '../../../../../support/main/without-drafts'
import { withClocks } from '../../../../../support/main/with-clocks'

vi.setConfig({ testTimeout: 30 * 60_000 })

const minute = 60_000
const day = 24 * 3600 * 1000

/** What happens to a request on its way: whether and when it is carried out, and what is answered. */
type Fate =
  | { kind: 'answered' }
  | { kind: 'refused'; status: number }
  /** Nothing leaves. */
  | { kind: 'not-sent' }
  /** Chromium sends it twice (421): it is carried out, and the second time nothing leaves. */
  | { kind: 'resent' }
  /** It never arrives, and nothing reports that. */
  | { kind: 'dropped' }
  /** It is carried out after a while; instead of an answer something else comes. */
  | { kind: 'lost'; afterMs: number; status: number | null }
  /** A gateway sends it twice: the first copy is carried out after a while, the second one refused at once. */
  | { kind: 'repeated'; afterMs: number; status: number }
  /** It is answered with a deployment of its name that is not its own: with other contents, or much older. */
  | { kind: 'mistaken'; about: 'contents' | 'time' }

/** How much is sent: enough to match, too little, or too much to store. */
type Size = 'usual' | 'thin' | 'big'

/** When the environment is edited to lead to the other service during a creation. */
type Edit = 'never' | 'during-look' | 'during-request'

type Step =
  | {
      kind: 'create'
      fate: Fate
      consent: boolean
      isRepeated: boolean
      size: Size
      edit: Edit
      clockMs: number
    }
  | { kind: 'look' }
  | { kind: 'claim' }
  /** The environment leads to the next service or account from now on, or it is removed and added again. */
  | { kind: 'edit' }
  | { kind: 'add-again' }
  | { kind: 'wait'; ms: number }
  | { kind: 'set-clock'; ms: number }
  | { kind: 'sleep'; ms: number }
  | { kind: 'restart' }
  | { kind: 'list'; fails: 'no' | 'whole' | 'part' }
  /** Somebody else takes the name: with other contents, or with the same but much older. */
  | { kind: 'colleague'; isSame: boolean }

/** The statuses with which a service, or a gateway before it, refuses. */
const refusing = [400, 401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 422, 429, 431]

/**
 * By how much a clock is set: often by an hour, as for summer time. A colleague's deployment may be that much earlier
 * too.
 */
const clockChanges = fc.oneof(fc.constantFrom(60 * minute, -60 * minute), fc.integer({ min: -day, max: day }))

const later = fc.oneof(fc.constant(0), fc.nat({ max: 30 * minute }))

const fates: fc.Arbitrary<Fate> = fc.oneof(
  fc.constant<Fate>({ kind: 'answered' }),
  fc.record({ kind: fc.constant('refused' as const), status: fc.constantFrom(...refusing) }),
  fc.constant<Fate>({ kind: 'not-sent' }),
  fc.constant<Fate>({ kind: 'resent' }),
  fc.constant<Fate>({ kind: 'dropped' }),
  fc.record({
    kind: fc.constant('repeated' as const),
    afterMs: later,
    status: fc.constantFrom(...refusing),
  }),
  fc.constantFrom<Fate>({ kind: 'mistaken', about: 'contents' }, { kind: 'mistaken', about: 'time' }),
  fc.record({
    kind: fc.constant('lost' as const),
    afterMs: later,
    status: fc.constantFrom(null, 201, 302, 304, 407, 408, 421, 502, 999),
  }),
)

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      fate: fates,
      consent: fc.boolean(),
      // The page makes the same call once more.
      isRepeated: fc.boolean(),
      size: fc.oneof(
        { weight: 12, arbitrary: fc.constant<Size>('usual') },
        { weight: 6, arbitrary: fc.constant<Size>('thin') },
        { weight: 1, arbitrary: fc.constant<Size>('big') },
      ),
      edit: fc.oneof(
        { weight: 8, arbitrary: fc.constant<Edit>('never') },
        { weight: 2, arbitrary: fc.constantFrom<Edit>('during-look', 'during-request') },
      ),
      // Set while the answer is on its way.
      clockMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, clockChanges),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'claim' }) },
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'edit' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'add-again' }) },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'look' }) },
  { weight: 4, arbitrary: fc.nat({ max: 25 * minute }).map((ms): Step => ({ kind: 'wait', ms })) },
  {
    weight: 2,
    arbitrary: clockChanges.map((ms): Step => ({ kind: 'set-clock', ms })),
  },
  { weight: 1, arbitrary: fc.nat({ max: day }).map((ms): Step => ({ kind: 'sleep', ms })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('no', 'whole', 'part').map((fails): Step => ({ kind: 'list', fails })),
  },
  { weight: 1, arbitrary: fc.boolean().map((isSame): Step => ({ kind: 'colleague', isSame })) },
)

/** A deployment of the service, and which of our requests created it; null for someone else's. */
interface Made {
  id: string
  createdAt: number
  request: CreateRequest
  by: number | null
}

/** What a service shows of its clock, and its difference from this machine's, in milliseconds. */
interface ServiceClock {
  /** Whether answers have the header Date. */
  isShown: boolean
  skewMs: number
  /** The difference of its database's clock, which writes creation times. */
  databaseMs: number
  writing: WayOfWriting
}

/** How the services rewrite the name "agent": usually they keep it. */
const writtenNames = fc.oneof(
  { weight: 3, arbitrary: fc.constant('agent') },
  { weight: 1, arbitrary: fc.constantFrom('Agent', 'AGENT ') },
)

const serviceClocks: fc.Arbitrary<ServiceClock> = fc.record({
  isShown: fc.boolean(),
  skewMs: fc.oneof(fc.constant(0), fc.integer({ min: -day, max: day })),
  databaseMs: fc.oneof(fc.constant(0), fc.integer({ min: -4 * minute, max: 4 * minute })),
  writing: fc.oneof(fc.constant<WayOfWriting>({ format: 'whole', zone: 0 }), waysOfWriting),
})

/** A service, or one of its accounts, with one name. Two services assign the same identifiers. */
class Service {
  readonly made: Made[] = []
  /** Creations that it is still working on. */
  readonly pending: { at: number; request: CreateRequest; by: number }[] = []
}

/**
 * Where an environment may lead: two services, and one of them with the key of another account, which has its own list.
 */
const addresses = ['https://a.example', 'https://b.example', 'https://a.example#other-account'] as const

const targetOf = (address: string): Pick<HttpRequest['target'], 'baseUrl' | 'headers'> => {
  const [baseUrl = '', key = 'account'] = address.split('#')
  return { baseUrl, headers: { 'X-Api-Key': key } }
}

const addressOf = ({ baseUrl, headers }: HttpRequest['target']): string =>
  headers['X-Api-Key'] === 'account' ? baseUrl : `${baseUrl}#${headers['X-Api-Key']}`

const isSameService = (one: string, other: string): boolean =>
  targetOf(one).baseUrl === targetOf(other).baseUrl

/**
 * A world with two services, one of them with two accounts, an environment that leads to one, and this application,
 * whose journal survives restarts.
 */
class World {
  readonly wrong: string[] = []
  readonly #services = new Map<string, Service>(addresses.map((address) => [address, new Service()]))
  /** Where the environment leads, and its identifier. */
  #address: string = addresses[0]
  #environmentId = 'e1'
  #added = 1
  #edit: Edit = 'never'
  #clockMs = 0
  /** When the first request left, by the services' clock. */
  #firstPost = Infinity
  /** By attempt: the service that the environment led to when it began. */
  readonly #placeOf = new Map<string, string>()
  readonly #folder = temporaryFolder()
  #sending: string | null = null
  /** By attempt in the journal: the number of the request that it sent, if it did. */
  readonly #sentBy = new Map<string, number>()
  /** When complete lists were answered, by the monotonic clock, since the last start and resume. */
  #complete: { at: number; address: string }[] = []
  /** By attempt: when its answer was lost, by the same clock. */
  readonly #lostAt = new Map<string, number>()
  /** The last reported state of each attempt. */
  readonly #said = new Map<string, string>()
  #posts = 0
  #sleptMs = 0
  #listFails: 'no' | 'whole' | 'part' = 'no'
  #fate: Fate = { kind: 'answered' }
  journal!: Journal
  #reconciler!: ReturnType<typeof createReconciler>
  #deployments!: ReturnType<typeof createDeployments>

  constructor(
    private readonly clock: ServiceClock,
    private readonly writtenName: string,
  ) {
    this.start()
  }

  /** The service's clock: it runs while this machine sleeps, and is never set. */
  get #time(): number {
    return 1_800_000_000_000 + this.clock.skewMs + performance.now() + this.#sleptMs
  }

  start(): void {
    const report = (error: unknown): void => void this.wrong.push(String(error))
    this.journal = createJournal({
      state: stateIn(this.#folder),
      changed: (entry) => {
        if (entry.kind !== 'creation') return
        if (entry.state === 'sending') {
          this.#sending = entry.id
          this.#placeOf.set(entry.id, this.#address)
        }
        this.#check(entry)
      },
      report,
      notice: () => undefined,
      readLate: () => undefined,
      sentTo: () => undefined,
    })
    const ready = () => {
      const id = this.#environmentId
      const target = { environmentId: id, ...targetOf(this.#address) }
      return { id, name: 'E', mode: 'cloud', protected: false, readOnly: false, target }
    }
    const environments = {
      state: () => ({
        environments: [{ id: this.#environmentId, service: null }],
        currentEnvironmentId: this.#environmentId,
      }),
      ready: () => Promise.resolve(succeed(ready())),
    } as unknown as Environments
    const network = {
      request: (request: HttpRequest) => Promise.resolve(this.#answer(request)),
      forget: () => Promise.resolve(),
    }
    const { journal } = this
    const monotonic = (): number => performance.now()
    const clocks = createServiceClocks(monotonic)
    const http = withClocks(network, clocks)
    this.#reconciler = createReconciler({ environments, http, journal, monotonic, clocks, report })
    this.#deployments = createDeployments({
      environments,
      http,
      journal,
      reconciler: this.#reconciler,
      drafts: withoutDrafts,
      report,
    })
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'create':
        return await this.#create(step)
      case 'look': {
        const open = (await this.journal.creations()).filter(({ state }) => state !== 'created').at(-1)
        if (open) await this.#reconciler.lookUp(this.#environmentId, open.id, never)
        return
      }
      case 'claim':
        return await this.#claim()
      case 'edit':
        this.#leadElsewhere()
        return
      case 'add-again':
        this.#added += 1
        this.#environmentId = `e${this.#added}`
        this.#reconciler.noteEnvironment()
        await vi.advanceTimersByTimeAsync(0)
        return
      case 'wait':
        await vi.advanceTimersByTimeAsync(step.ms)
        return
      case 'set-clock':
        vi.setSystemTime(Date.now() + step.ms)
        return
      case 'sleep':
        this.#reconciler.noteSuspend()
        this.#sleptMs += step.ms
        vi.setSystemTime(Date.now() + step.ms)
        this.#complete = []
        this.#reconciler.noteResume()
        return
      case 'restart':
        this.#reconciler.close()
        this.#complete = []
        this.start()
        await this.#reconciler.follow()
        return
      case 'list':
        this.#listFails = step.fails
        return
      case 'colleague': {
        this.#settle()
        const request = requestOf('usual')
        // Equal deployments can only be distinguished by time, which requires the service's clock.
        if (step.isSame && this.clock.isShown)
          this.#make(this.#address, request, null, Math.min(this.#time, this.#firstPost) - 60 * minute)
        else {
          const secrets = [{ name: 'THEIRS', value: '' }]
          this.#make(this.#address, { ...request, secrets }, null, this.#time)
        }
      }
    }
  }

  #leadElsewhere(): void {
    const place = addresses.findIndex((address) => address === this.#address)
    this.#address = addresses[(place + 1) % addresses.length]!
  }

  /** The operator knows which ones are theirs. */
  async #claim(): Promise<void> {
    for (const entry of (await this.journal.creations()).filter(canBeClaimed)) {
      const { id, lookup } = entry
      const found = lookup!.deployment!.id
      if (this.#ownOf(entry)?.id !== found) continue
      const claimed = await this.#reconciler.claim(this.#environmentId, id, found, never)
      if (claimed.ok && !isSameService(this.#placeOf.get(id)!, this.#address))
        this.wrong.push('Claimed at another service.')
    }
  }

  async #create(step: Extract<Step, { kind: 'create' }>): Promise<void> {
    const { fate, consent, size } = step
    const before = await this.journal.creations()
    const blocking = before
      .filter((one) => one.environmentId === this.#environmentId && isUnconfirmed(one))
      .at(-1)
    const place = this.#address
    const here = before.filter(({ id }) => this.#placeOf.get(id) === place)
    const lastCreated = here.map(({ state }) => state).lastIndexOf('created')
    const stands =
      here.some(({ state }) => state === 'unclear') ||
      here.some(({ state }, index) => state === 'not-created' && index > lastCreated)
    const again: CallInput<'deployments.create'>['again'] =
      consent && blocking
        ? {
            attemptId: blocking.id,
            deploymentId: blocking.lookup?.deployment?.id ?? null,
            sentAgain: blocking.sentAgain,
          }
        : null
    const posts = this.#posts
    this.#settle()
    const mistaken = here.filter((one) => one.state === 'refused' && this.#ownOf(one))
    this.#fate = fate
    this.#edit = step.edit
    this.#clockMs = step.clockMs
    const input = { environmentId: this.#environmentId, request: requestOf(size), confirmedName: null, again }
    const outcome = await this.#deployments.create(input, never)
    const isEdited = this.#edit !== step.edit
    this.#edit = 'never'
    this.#sending = null
    for (const one of here.filter((each) => each.state === 'not-created'))
      if (
        isCreatedLater(one, await this.journal.creations()) &&
        !(await this.journal.creations()).some(
          ({ id, state }) => state === 'created' && this.#placeOf.get(id) === this.#placeOf.get(one.id),
        )
      )
        this.wrong.push('Told as created later, by what is at another service.')
    if (this.#posts > posts + 1) this.wrong.push('One call sent two requests.')
    if (stands && again === null && this.#posts > posts) this.wrong.push('Sent without consent.')
    if (mistaken.length > 0 && this.#listFails === 'no' && !isEdited) {
      // An operator who was shown it may still send.
      const isShown = mistaken.every((one) => this.#ownOf(one)?.id === again?.deploymentId)
      if (this.#posts > posts && !isShown)
        this.wrong.push('Sent although the list has what was told as refused.')
      const states = new Map((await this.journal.creations()).map(({ id, state }) => [id, state]))
      if (mistaken.some(({ id }) => states.get(id) === 'refused'))
        this.wrong.push('Still told as refused although the list has it.')
    }
    // For an edited environment: where it led when this began.
    const { made } = this.#services.get(place)!
    if (outcome.ok && !made.some(({ id, by }) => id === outcome.value.deployment.id && by !== null))
      this.wrong.push('Told as created, and is not.')
    const sent = this.#posts === posts + 1 ? made.find(({ by }) => by === this.#posts) : undefined
    if (fate.kind === 'answered' && sent && !outcome.ok && !isEdited && this.writtenName === 'agent')
      this.wrong.push(`Created and answered so, and told as ${outcome.failure.message}`)
    if (again === null || !step.isRepeated) return
    await this.#deployments.create(input, never)
    this.#sending = null
    if (this.#posts > posts + 1) this.wrong.push('One consent sent two requests.')
  }

  /** Completes everything, then compares all reported states with what the service did. */
  async end(): Promise<void> {
    for (const entry of await this.journal.creations()) this.#check(entry)
    this.#reconciler.close()
  }

  #answer(request: HttpRequest): Outcome<HttpAnswer> {
    this.#settle()
    const address = addressOf(request.target)
    if (request.method === 'POST' && address !== this.#address)
      this.wrong.push('Left to the service from before an edit.')
    if (this.#edit === (request.method === 'POST' ? 'during-request' : 'during-look')) {
      this.#leadElsewhere()
      this.#edit = 'never'
    }
    return request.method === 'POST'
      ? this.#post(address, request.body as CreateRequest)
      : this.#list(address, request)
  }

  #post(address: string, request: CreateRequest): Outcome<HttpAnswer> {
    const fate = this.#fate
    const { pending } = this.#services.get(address)!
    const number = (this.#posts += 1)
    this.#firstPost = Math.min(this.#firstPost, this.#time)
    vi.setSystemTime(Date.now() + this.#clockMs)
    if (this.#sending !== null) this.#sentBy.set(this.#sending, number)
    const lost = fail(failure('connection-lost', 'It was lost.', { sent: 'maybe' }))
    switch (fate.kind) {
      case 'not-sent':
        return fail(failure('offline', 'Nothing answers.', { sent: 'no' }))
      case 'resent':
        this.#make(address, request, number, this.#time)
        return fail(failure('offline', 'Nothing answers.', { sent: 'no' }))
      case 'dropped':
        return lost
      case 'refused':
        return refused(fate.status)
      case 'lost':
        pending.push({ at: this.#time + fate.afterMs, request, by: number })
        this.#settle()
        return fate.status === null ? lost : refused(fate.status)
      case 'repeated':
        pending.push({ at: this.#time + fate.afterMs, request, by: number })
        this.#settle()
        return refused(fate.status)
      case 'mistaken': {
        const other = { ...request, source_revision_config: { image_uri: 'internal/agent:2' } }
        const theirs =
          fate.about === 'contents'
            ? { id: 'theirs', createdAt: this.#time, request: other, by: null }
            : { id: 'theirs', createdAt: this.#time - 2 * day, request, by: null }
        // Without a clock or a time, it can't be known that it is from long ago.
        const isTimed =
          readDate(this.#date(), Date.now()) !== null &&
          this.#clockMs === 0 &&
          readTime(this.#written(theirs.createdAt)) !== null
        return isTimed || fate.about === 'contents' ? this.#created(theirs) : lost
      }
      case 'answered': {
        const made = this.#make(address, request, number, this.#time)
        return made ? this.#created(made) : refused(409)
      }
    }
  }

  #created(made: Made): Outcome<HttpAnswer> {
    return succeed({ status: 201, durationMs: 1, body: jsonBody(this.#answerOf(made)), date: this.#date() })
  }

  #list(address: string, { query }: HttpRequest): Outcome<HttpAnswer> {
    if (this.#listFails === 'whole') return fail(failure('timeout', 'It did not answer.', { sent: 'maybe' }))
    const { made } = this.#services.get(address)!
    const all =
      query?.get('offset') === '0' || query?.has('deployment_ids')
        ? made.map((one) => this.#answerOf(one))
        : []
    const resources = this.#listFails === 'part' ? [...all, { id: 7 }] : all
    if (this.#listFails === 'no') this.#complete.push({ at: performance.now(), address })
    const body = jsonBody({ resources, offset: resources.length })
    return succeed({ status: 200, durationMs: 1, body, date: this.#date() })
  }

  #answerOf({ id, createdAt, request }: Made): object {
    const created_at = this.#written(createdAt)
    return { ...request, name: this.writtenName, id, created_at, status: 'READY' }
  }

  #written(ms: number): string {
    return writtenTime(ms + this.clock.databaseMs, this.clock.writing)
  }

  #date(): string | null {
    return this.clock.isShown ? new Date(this.#time).toUTCString() : null
  }

  /** What an attempt created. */
  #ownOf({ id }: CreationEntry): Made | undefined {
    const number = this.#sentBy.get(id)
    const made = [...this.#services.values()].flatMap((service) => service.made)
    return number === undefined ? undefined : made.find(({ by }) => by === number)
  }

  /** Carries out the requests that are due. */
  #settle(): void {
    for (const [address, { pending }] of this.#services) {
      for (const one of [...pending].sort((a, b) => a.at - b.at)) {
        if (one.at > this.#time) continue
        pending.splice(pending.indexOf(one), 1)
        this.#make(address, one.request, one.by, one.at)
      }
    }
  }

  /** Names are unique: a second request creates nothing. */
  #make(address: string, request: CreateRequest, by: number | null, createdAt: number): Made | null {
    const { made } = this.#services.get(address)!
    if (made.length > 0) return null
    const one = { id: address.includes('#') ? 'd2' : 'd1', createdAt, request, by }
    made.push(one)
    return one
  }

  /** Compares each new state of an attempt in the journal with what the service did. */
  #check(entry: CreationEntry): void {
    const before = this.#said.get(entry.id)
    this.#said.set(entry.id, entry.state)
    if (entry.state === 'unclear' && !this.#lostAt.has(entry.id))
      this.#lostAt.set(entry.id, performance.now())
    if (before === entry.state) return
    this.#settle()
    const number = this.#sentBy.get(entry.id) ?? null
    const own = this.#ownOf(entry)
    if (entry.state === 'created' && own?.id !== entry.deploymentId)
      this.wrong.push(`${entry.id} is told as created, and is not.`)
    if (entry.state === 'refused') {
      const status = entry.failure?.status ?? null
      const maybeRepeated = status === 409 || status === 429
      // If the list has unreadable entries, other refusals count by the meaning of their status.
      const isSeen = this.#listFails !== 'part' || maybeRepeated
      // The list doesn't show what the service is still working on. It is found before the name is sent again. While
      // another deployment has its name, it creates nothing.
      const isPending = [...this.#services.values()].some(
        ({ made, pending }) => made.length === 0 && pending.some(({ by }) => by === number),
      )
      const isComing = isPending && (status === 409 || status === null)
      // What Chromium sends twice is looked up before the name is sent again.
      const isResent = entry.failure?.sent === 'no'
      if (((own && isSeen) || isComing) && !isResent)
        this.wrong.push(`${entry.id} is told as refused, and is not.`)
    }
    if (entry.state !== 'not-created') return
    if (own) this.wrong.push(`${entry.id} is told as not created, and is in the list.`)
    const place = this.#placeOf.get(entry.id)
    const since = this.#complete
      .filter(({ at, address }) => address === place && at >= (this.#lostAt.get(entry.id) ?? Infinity))
      .map(({ at }) => at)
    if (since.length < 2 || since.at(-1)! - since[0]! < absenceMs)
      this.wrong.push(`${entry.id} is told as not created without two looks ten minutes apart.`)
  }
}

const never = new AbortController().signal

const manyLabels = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`label-${at}`, `${at}`]))

function requestOf(size: Size): CreateRequest {
  const labels = size === 'big' ? { labels: manyLabels } : {}
  const whole = { resource_spec: { min_scale: 1, max_scale: 2, cpu: 1, ...labels } }
  return {
    name: 'agent',
    source: 'internal_docker',
    source_config: size === 'thin' ? {} : whole,
    source_revision_config: { image_uri: 'internal/agent:1' },
    secrets: [],
  }
}

const codes: Record<number, FailureCode> = { 409: 'conflict', 422: 'bad-request', 429: 'rate-limited' }
const refused = (status: number): Outcome<never> =>
  fail(failure(codes[status] ?? 'unexpected-status', 'It says no.', { sent: 'answered', status }))

const machineZone = process.env.TZ

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  if (machineZone === undefined) delete process.env.TZ
  else process.env.TZ = machineZone
})

describe('whatever the service, the network and the clocks do', () => {
  it('nothing is sent without consent, and no false state is reported', async () => {
    await fc.assert(
      fc.asyncProperty(
        serviceClocks,
        writtenNames,
        zonesOfMachine,
        fc.array(steps, { minLength: 1, maxLength: 14 }),
        async (clock, writtenName, zone, taken) => {
          process.env.TZ = zone
          vi.useFakeTimers({ now: 1_800_000_000_000 })
          const world = new World(clock, writtenName)
          for (const step of taken) await world.take(step)
          await vi.advanceTimersByTimeAsync(30 * minute)
          await world.end()
          vi.clearAllTimers()
          expect(world.wrong).toEqual([])
        },
      ),
    )
  })
})
