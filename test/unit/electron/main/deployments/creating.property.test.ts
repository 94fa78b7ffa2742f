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
  | { kind: 'refused'; status: 422 | 429 }
  /** Nothing leaves. */
  | { kind: 'not-sent' }
  /** It never arrives, and nobody says so. */
  | { kind: 'dropped' }
  /** It is carried out after a while; instead of an answer something else comes. */
  | { kind: 'lost'; afterMs: number; status: number | null }
  /** A gateway sends it twice: it is carried out, and answered with a conflict. */
  | { kind: 'repeated' }

type Step =
  | { kind: 'create'; fate: Fate; consent: boolean; thin: boolean }
  | { kind: 'look' }
  | { kind: 'wait'; ms: number }
  | { kind: 'set-clock'; ms: number }
  | { kind: 'sleep'; ms: number }
  | { kind: 'restart' }
  | { kind: 'list'; fails: 'no' | 'whole' | 'part' }
  | { kind: 'colleague' }

const fates: fc.Arbitrary<Fate> = fc.oneof(
  fc.constant<Fate>({ kind: 'answered' }),
  fc.constantFrom<Fate>({ kind: 'refused', status: 422 }, { kind: 'refused', status: 429 }),
  fc.constant<Fate>({ kind: 'not-sent' }),
  fc.constant<Fate>({ kind: 'dropped' }),
  fc.constant<Fate>({ kind: 'repeated' }),
  fc.record({
    kind: fc.constant('lost' as const),
    afterMs: fc.oneof(fc.constant(0), fc.nat({ max: 30 * minute })),
    status: fc.constantFrom(null, 302, 408, 502, 201),
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

  constructor() {
    this.start()
  }

  /** The service's clock: it goes on while this machine sleeps, and nobody sets it. */
  get #time(): number {
    return 1_800_000_000_000 + performance.now() + this.#sleptMs
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
    this.#fate = fate
    const outcome = await this.#deployments.create(
      { environmentId: 'e1', request: requestOf(thin), confirmedName: null, again },
      never,
    )
    if (this.#posts > posts + 1) this.wrong.push('One call sent two requests.')
    if (stands && again === null && this.#posts > posts) this.wrong.push('Sent without consent.')
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
        this.#make(request, number, this.#time)
        return refused(409)
      case 'answered': {
        const made = this.#make(request, number, this.#time)
        return made
          ? succeed({ status: 201, durationMs: 1, body: jsonBody(answerOf(made)), date: this.#date() })
          : refused(409)
      }
    }
  }

  #list({ query }: HttpRequest): Outcome<HttpAnswer> {
    if (this.#listFails === 'whole') return fail(failure('timeout', 'It did not answer.', { sent: 'maybe' }))
    const all = query?.get('offset') === '0' || query?.has('deployment_ids') ? this.#made.map(answerOf) : []
    const resources = this.#listFails === 'part' ? [...all, { id: 7 }] : all
    if (this.#listFails === 'no') this.#complete.push(performance.now())
    const body = jsonBody({ resources, offset: resources.length })
    return succeed({ status: 200, durationMs: 1, body, date: this.#date() })
  }

  #date(): string {
    return new Date(this.#time).toUTCString()
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
    const own = this.#made.find(({ by }) => by !== null && by === number)
    if (entry.state === 'created' && own?.id !== entry.deploymentId)
      this.wrong.push(`${entry.id} is told as created, and is not.`)
    if (entry.state === 'refused' && (own ?? this.#pending.some(({ by }) => by === number)))
      this.wrong.push(`${entry.id} is told as refused, and is not.`)
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
      fc.asyncProperty(fc.array(steps, { minLength: 1, maxLength: 14 }), async (taken) => {
        vi.useFakeTimers({ now: 1_800_000_000_000 })
        const world = new World()
        for (const step of taken) await world.take(step)
        await vi.advanceTimersByTimeAsync(30 * minute)
        await world.end()
        vi.clearAllTimers()
        expect(world.wrong).toEqual([])
      }),
      { numRuns: cases },
    )
  })
})
