import {
  type CallInput,
  type CreateRequest,
  type CreationEntry,
  fail,
  failure,
  type FailureCode,
  type Outcome,
  succeed,
} from '@contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeployments } from '../../../../../electron/main/deployments'
import { absenceMs } from '../../../../../electron/main/deployments/absence'
import { createFollowUp } from '../../../../../electron/main/deployments/follow-up'
import type { Environments } from '../../../../../electron/main/environments/port'
import type { HttpAnswer, HttpRequest } from '../../../../../electron/main/http/port'
import { createJournal, type Journal } from '../../../../../electron/main/journal'
import { JournalFile } from '../../../../../electron/main/journal/journal-file'
import { LineSeal } from '../../../../../electron/main/journal/line-seal'
import { FaultDisk } from '../../../../support/fault-disk'
import { jsonBody } from '../../../../support/json-body'

/** How many cases are tried; more where it is asked for. */
const cases = Number(process.env.PROPERTY_RUNS ?? 300)

vi.setConfig({ testTimeout: 30 * 60_000 })

const minute = 60_000
const day = 24 * 3600 * 1000

/** What becomes of a request on its way: whether it is carried out, when, and what is answered. */
type Fate =
  | { kind: 'answered' }
  | { kind: 'refused'; status: number }
  /** Nothing leaves. */
  | { kind: 'not-sent' }
  /** It never arrives, and nobody says so. */
  | { kind: 'dropped' }
  /** It is carried out after a while; instead of an answer something else comes. */
  | { kind: 'lost'; afterMs: number; status: number | null }
  /** A gateway sends it twice: the first copy is carried out after a while, the second one refused at once. */
  | { kind: 'repeated'; afterMs: number; status: number }
  /** It is answered with a deployment of its name that is not its own: with other contents, or from long before. */
  | { kind: 'mistaken'; about: 'contents' | 'time' }

type Step =
  | { kind: 'create'; fate: Fate; consent: boolean; thin: boolean }
  | { kind: 'look' }
  | { kind: 'wait'; ms: number }
  | { kind: 'set-clock'; ms: number }
  | { kind: 'sleep'; ms: number }
  | { kind: 'restart' }
  | { kind: 'list'; fails: 'no' | 'whole' | 'part' }
  | { kind: 'colleague' }

/** The statuses with which a service, or a gateway before it, refuses. */
const refusing = [400, 401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 422, 429, 431]

const later = fc.oneof(fc.constant(0), fc.nat({ max: 30 * minute }))

const fates: fc.Arbitrary<Fate> = fc.oneof(
  fc.constant<Fate>({ kind: 'answered' }),
  fc.record({ kind: fc.constant('refused' as const), status: fc.constantFrom(...refusing) }),
  fc.constant<Fate>({ kind: 'not-sent' }),
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
      thin: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.constant<Step>({ kind: 'look' }) },
  { weight: 4, arbitrary: fc.nat({ max: 25 * minute }).map((ms): Step => ({ kind: 'wait', ms })) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: -day, max: day }).map((ms): Step => ({ kind: 'set-clock', ms })),
  },
  { weight: 1, arbitrary: fc.nat({ max: day }).map((ms): Step => ({ kind: 'sleep', ms })) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'restart' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('no', 'whole', 'part').map((fails): Step => ({ kind: 'list', fails })),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: 'colleague' }) },
)

/** A deployment as the service has it, and which of our requests made it; null for a colleague's. */
interface Made {
  id: string
  createdAt: number
  request: CreateRequest
  by: number | null
}

/** What of a service's clock can be seen, and by how much it differs from this machine's, in milliseconds. */
interface ServiceClock {
  /** Whether answers have the header Date. */
  isShown: boolean
  skewMs: number
}

const serviceClocks: fc.Arbitrary<ServiceClock> = fc.record({
  isShown: fc.boolean(),
  skewMs: fc.oneof(fc.constant(0), fc.integer({ min: -day, max: day })),
})

/** A world with one service, one name, and this application, whose journal outlives it. */
class World {
  readonly wrong: string[] = []
  readonly #made: Made[] = []
  /** Creations that the service is still at. */
  readonly #pending: { at: number; request: CreateRequest; by: number }[] = []
  readonly #disk = new FaultDisk()
  #sending: string | null = null
  /** By attempt in the journal: the number of the request that it sent, where it did. */
  readonly #sentBy = new Map<string, number>()
  /** When complete lists were given, by the monotonic clock, since the last start and resume. */
  #complete: number[] = []
  /** By attempt: when its answer was lost, by the same clock. */
  readonly #lostAt = new Map<string, number>()
  /** What was last said of each attempt. */
  readonly #said = new Map<string, string>()
  #posts = 0
  #sleptMs = 0
  #listFails: 'no' | 'whole' | 'part' = 'no'
  #fate: Fate = { kind: 'answered' }
  journal!: Journal
  #followUp!: ReturnType<typeof createFollowUp>
  #deployments!: ReturnType<typeof createDeployments>

  constructor(private readonly clock: ServiceClock) {
    this.start()
  }

  /** The service's clock: it goes on while this machine sleeps, and nobody sets it. */
  get #time(): number {
    return 1_800_000_000_000 + this.clock.skewMs + performance.now() + this.#sleptMs
  }

  start(): void {
    const report = (error: unknown): void => void this.wrong.push(String(error))
    this.journal = createJournal(
      new JournalFile('/data/journal.jsonl', new LineSeal(() => Promise.resolve(null)), this.#disk.files()),
      (entry) => {
        if (entry.kind !== 'creation') return
        if (entry.state === 'sending') this.#sending = entry.id
        this.#check(entry)
      },
      report,
    )
    const target = { environmentId: 'e1', baseUrl: 'https://a.example', headers: {} }
    const ready = { id: 'e1', name: 'E', mode: 'cloud', protected: false, target }
    const environments = {
      state: () => ({ environments: [{ id: 'e1' }], currentEnvironmentId: 'e1' }),
      ready: () => Promise.resolve(succeed(ready)),
    } as unknown as Environments
    const http = {
      request: (asked: HttpRequest) => Promise.resolve(this.#answer(asked)),
      forget: () => Promise.resolve(),
    }
    const { journal } = this
    const monotonic = (): number => performance.now()
    this.#followUp = createFollowUp({ environments, http, journal, monotonic, report })
    this.#deployments = createDeployments(environments, http, journal, this.#followUp, report)
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'create':
        return await this.#create(step)
      case 'look': {
        const open = (await this.journal.creations()).filter(({ state }) => state !== 'created').at(-1)
        if (open) await this.#followUp.look('e1', open.id, never)
        return
      }
      case 'wait':
        await vi.advanceTimersByTimeAsync(step.ms)
        return
      case 'set-clock':
        vi.setSystemTime(Date.now() + step.ms)
        return
      case 'sleep':
        this.#followUp.noteSuspend()
        this.#sleptMs += step.ms
        vi.setSystemTime(Date.now() + step.ms)
        this.#complete = []
        this.#followUp.noteResume()
        return
      case 'restart':
        this.#followUp.close()
        this.#complete = []
        this.start()
        await this.#followUp.follow()
        return
      case 'list':
        this.#listFails = step.fails
        return
      case 'colleague':
        this.#settle()
        this.#make({ ...requestOf(false), secrets: [{ name: 'THEIRS', value: '' }] }, null, this.#time)
    }
  }

  async #create({ fate, consent, thin }: Extract<Step, { kind: 'create' }>): Promise<void> {
    const before = await this.journal.creations()
    const blocking = before.filter(({ state }) => state === 'unclear' || state === 'not-created').at(-1)
    const lastCreated = before.map(({ state }) => state).lastIndexOf('created')
    const stands =
      before.some(({ state }) => state === 'unclear') ||
      before.some(({ state }, index) => state === 'not-created' && index > lastCreated)
    const again: CallInput<'deployments.create'>['again'] =
      consent && blocking
        ? { attemptId: blocking.id, deploymentId: blocking.lookup?.deployment?.id ?? null }
        : null
    const posts = this.#posts
    this.#settle()
    const mistaken = before.filter((one) => one.state === 'refused' && this.#ownOf(one))
    this.#fate = fate
    const outcome = await this.#deployments.create(
      { environmentId: 'e1', request: requestOf(thin), confirmedName: null, again },
      never,
    )
    if (this.#posts > posts + 1) this.wrong.push('One call sent two requests.')
    if (stands && again === null && this.#posts > posts) this.wrong.push('Sent without consent.')
    if (mistaken.length > 0 && this.#listFails === 'no') {
      // Who was shown it may send all the same.
      const isShown = mistaken.every((one) => this.#ownOf(one)?.id === again?.deploymentId)
      if (this.#posts > posts && !isShown)
        this.wrong.push('Sent although the list has what was told as refused.')
      const states = new Map((await this.journal.creations()).map(({ id, state }) => [id, state]))
      if (mistaken.some(({ id }) => states.get(id) === 'refused'))
        this.wrong.push('Still told as refused although the list has it.')
    }
    if (outcome.ok && !this.#made.some(({ id, by }) => id === outcome.value.deployment.id && by !== null))
      this.wrong.push('Told as created, and is not.')
  }

  /** Ends what can end, then compares everything that is said with what the service did. */
  async end(): Promise<void> {
    for (const entry of await this.journal.creations()) this.#check(entry)
    this.#followUp.close()
  }

  #answer(asked: HttpRequest): Outcome<HttpAnswer> {
    this.#settle()
    return asked.method === 'POST' ? this.#post(asked.body as CreateRequest) : this.#list(asked)
  }

  #post(request: CreateRequest): Outcome<HttpAnswer> {
    const fate = this.#fate
    const number = (this.#posts += 1)
    if (this.#sending !== null) this.#sentBy.set(this.#sending, number)
    const lost = fail(failure('connection-lost', 'It was lost.', { sent: 'maybe' }))
    switch (fate.kind) {
      case 'not-sent':
        return fail(failure('offline', 'Nothing answers.', { sent: 'no' }))
      case 'dropped':
        return lost
      case 'refused':
        return refused(fate.status)
      case 'lost':
        this.#pending.push({ at: this.#time + fate.afterMs, request, by: number })
        this.#settle()
        return fate.status === null ? lost : refused(fate.status)
      case 'repeated':
        this.#pending.push({ at: this.#time + fate.afterMs, request, by: number })
        this.#settle()
        return refused(fate.status)
      case 'mistaken': {
        const other = { ...request, source_revision_config: { image_uri: 'internal/agent:2' } }
        const theirs =
          fate.about === 'contents'
            ? { id: 'theirs', createdAt: this.#time, request: other, by: null }
            : { id: 'theirs', createdAt: this.#time - 2 * day, request, by: null }
        // Without its clock, nobody can know that it is from long before.
        return this.clock.isShown || fate.about === 'contents' ? this.#created(theirs) : lost
      }
      case 'answered': {
        const made = this.#make(request, number, this.#time)
        return made ? this.#created(made) : refused(409)
      }
    }
  }

  #created(made: Made): Outcome<HttpAnswer> {
    return succeed({ status: 201, durationMs: 1, body: jsonBody(answerOf(made)), date: this.#date() })
  }

  #list({ query }: HttpRequest): Outcome<HttpAnswer> {
    if (this.#listFails === 'whole') return fail(failure('timeout', 'It did not answer.', { sent: 'maybe' }))
    const all = query?.get('offset') === '0' || query?.has('deployment_ids') ? this.#made.map(answerOf) : []
    const resources = this.#listFails === 'part' ? [...all, { id: 7 }] : all
    if (this.#listFails === 'no') this.#complete.push(performance.now())
    const body = jsonBody({ resources, offset: resources.length })
    return succeed({ status: 200, durationMs: 1, body, date: this.#date() })
  }

  #date(): string | null {
    return this.clock.isShown ? new Date(this.#time).toUTCString() : null
  }

  /** What an attempt made. */
  #ownOf({ id }: CreationEntry): Made | undefined {
    const number = this.#sentBy.get(id)
    return number === undefined ? undefined : this.#made.find(({ by }) => by === number)
  }

  /** Carries out what is due. */
  #settle(): void {
    for (const one of [...this.#pending].sort((a, b) => a.at - b.at)) {
      if (one.at > this.#time) continue
      this.#pending.splice(this.#pending.indexOf(one), 1)
      this.#make(one.request, one.by, one.at)
    }
  }

  /** Names are unique: what comes second makes nothing. */
  #make(request: CreateRequest, by: number | null, createdAt: number): Made | null {
    if (this.#made.length > 0) return null
    const made = { id: `d${this.#made.length + 1}`, createdAt, request, by }
    this.#made.push(made)
    return made
  }

  /** Compares what the journal says of an attempt, whenever it says it, with what the service did. */
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
      // Where the list has entries that cannot be read, other refusals count as HTTP means them.
      const isSeen = this.#listFails !== 'part' || maybeRepeated
      // What the service is still at shows in no list: it is seen before the name is sent again.
      // While another has its name, it makes nothing any more.
      const isPending = this.#made.length === 0 && this.#pending.some(({ by }) => by === number)
      const isComing = isPending && (status === 409 || status === null)
      if ((own && isSeen) || isComing) this.wrong.push(`${entry.id} is told as refused, and is not.`)
    }
    if (entry.state !== 'not-created') return
    if (own) this.wrong.push(`${entry.id} is told as not created, and is in the list.`)
    const since = this.#complete.filter((at) => at >= (this.#lostAt.get(entry.id) ?? Infinity))
    if (since.length < 2 || since.at(-1)! - since[0]! < absenceMs)
      this.wrong.push(`${entry.id} is told as not created without two looks ten minutes apart.`)
  }
}

const never = new AbortController().signal

/** What is created: enough to be recognised, or too little. */
function requestOf(thin: boolean): CreateRequest {
  const whole = { resource_spec: { min_scale: 1, max_scale: 2, cpu: 1 } }
  return {
    name: 'agent',
    source: 'internal_docker',
    source_config: thin ? {} : whole,
    source_revision_config: { image_uri: 'internal/agent:1' },
    secrets: [],
  }
}

const answerOf = ({ id, createdAt, request }: Made): object => ({
  ...request,
  id,
  created_at: new Date(createdAt).toISOString(),
  status: 'READY',
})

const codes: Record<number, FailureCode> = { 409: 'conflict', 422: 'bad-request', 429: 'rate-limited' }
const refused = (status: number): Outcome<never> =>
  fail(failure(codes[status] ?? 'unexpected-status', 'It says no.', { sent: 'answered', status }))

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('whatever the service, the network and the clocks do', () => {
  it('nothing is sent without consent, and nothing is told that is not so', async () => {
    await fc.assert(
      fc.asyncProperty(
        serviceClocks,
        fc.array(steps, { minLength: 1, maxLength: 14 }),
        async (clock, taken) => {
          vi.useFakeTimers({ now: 1_800_000_000_000 })
          const world = new World(clock)
          for (const step of taken) await world.take(step)
          await vi.advanceTimersByTimeAsync(30 * minute)
          await world.end()
          vi.clearAllTimers()
          expect(world.wrong).toEqual([])
        },
      ),
      { numRuns: cases },
    )
  })
})
