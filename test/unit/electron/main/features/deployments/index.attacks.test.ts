import {
  type CallInput,
  type CreateRequest,
  type CreationEntry,
  fail,
  failure,
  type Failure,
  isCreatedLater,
  type Lookup,
  type NetworkSettings,
  type Outcome,
  succeed,
  systemNetwork,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { createDeployments } from '../../../../../../electron/main/features/deployments'
import { createReconciler } from '../../../../../../electron/main/features/deployments/reconcile'
import { lookupLimitMs } from '../../../../../../electron/main/features/deployments/list/find-by-name'
import { createServiceClocks } from '../../../../../../electron/main/features/deployments/attempts/service-clocks'
import type { Environments } from '../../../../../../electron/main/environments/model/types'
import { request as throughClient } from '../../../../../../electron/main/http/client'
import type { HttpAnswer, HttpRequest, HttpTarget } from '../../../../../../electron/main/http/types'
import { createJournal, JournalError } from '../../../../../../electron/main/stored/journal'
import { JournalFile } from '../../../../../../electron/main/stored/journal/file/journal-file'
import { LineEncryption } from '../../../../../../electron/main/stored/journal/file/line-encryption'
import { FaultDisk } from '../../../../../support/main/fault-disk'
import { jsonBody } from '../../../../../support/builders/json-body'
import { pageOf } from '../../../../../support/builders/page-of'
import { withoutDrafts } from '../../../../../support/main/without-drafts'
import { withClocks } from '../../../../../support/main/with-clocks'

type Consent = NonNullable<CallInput<'deployments.create'>['again']>
/** The first consent, unless it says how many there were before. */
type Again = (Omit<Consent, 'sentAgain'> & Partial<Pick<Consent, 'sentAgain'>>) | null
type Answer = Outcome<HttpAnswer>

const hour = 3600 * 1000
const a = 'https://a.example'
const b = 'https://b.example'
const never = new AbortController().signal

const agent: CreateRequest = {
  name: 'agent',
  source: 'internal_docker',
  source_config: { resource_spec: { min_scale: 1, max_scale: 2, cpu: 1 } },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [],
}

const behind = (host: string): NetworkSettings => ({
  proxy: { mode: 'manual', host, port: 3128, credentials: null },
  trust: { kind: 'system' },
})

const lost = fail(failure('connection-lost', 'It was lost.', { sent: 'maybe' }))
const notSent = fail(failure('offline', 'Nothing answers.', { sent: 'no' }))

/** The application's own parts, one environment that can be edited, and a service at each address. */
class World {
  readonly there = new Map<string, object[]>([
    [a, []],
    [b, []],
  ])
  readonly posts: { baseUrl: string; headers: Record<string, string> }[] = []
  /** The answer to a creation, after anything that happens first. */
  onPost: (request: HttpRequest) => Answer | Promise<Answer> = () => lost
  onList: (request: HttpRequest) => Promise<Answer | null> = () => Promise.resolve(null)
  /** What happens while the environment is prepared. */
  onReady: () => Promise<void> = () => Promise.resolve()
  /** Why the environment can't be prepared. */
  notReady: Failure | null = null
  report: (error: unknown) => void = (error) => expect.unreachable(String(error))
  leadsTo: HttpTarget = { environmentId: 'e1', baseUrl: a, headers: {} }
  known = ['e1']
  /** The identifier for the service of an environment whose profile is known. */
  services: Record<string, string> = {}
  current = 'e1'
  /** Whether answers have the header Date. */
  isShown = true
  /** Its value; null for the time of the service's clock. */
  date: string | null = null
  /** The journal's key, as the keychain returns it. */
  key: string | null = null
  /** The service's clock, which is never set. */
  readonly #began = performance.now()
  readonly disk = new FaultDisk()
  journal!: ReturnType<typeof createJournal>
  reconciler!: ReturnType<typeof createReconciler>
  deployments!: ReturnType<typeof createDeployments>
  /** Reports an answer that leads to something else. */
  hear!: (target: HttpTarget, answer: Answer) => void

  constructor() {
    this.start()
  }

  get time(): number {
    return 1_800_000_000_000 + performance.now() - this.#began
  }

  start(): void {
    const report = (error: unknown): void => this.report(error)
    const seal = new LineEncryption(() => Promise.resolve(this.key))
    const file = new JournalFile('/data/journal.jsonl', seal, this.disk.files())
    const nothing = (): void => undefined
    const readLate = (): void => this.reconciler.noteJournal()
    this.journal = createJournal(file, { changed: nothing, report, readLate })
    const environments = {
      state: () => ({
        environments: this.known.map((id) => ({ id, service: this.services[id] ?? null })),
        currentEnvironmentId: this.current,
      }),
      ready: async (id: string) => {
        await this.onReady()
        return this.notReady
          ? fail(this.notReady)
          : succeed({
              id,
              name: id,
              mode: 'cloud',
              protected: false,
              readOnly: false,
              target: structuredClone(this.leadsTo),
            })
      },
    } as unknown as Environments
    const monotonic = (): number => performance.now()
    const clocks = createServiceClocks(monotonic)
    const network = {
      request: (request: HttpRequest) => this.#receive(request),
      forget: () => Promise.resolve(),
    }
    const http = withClocks(network, clocks)
    this.hear = (target, answer) => clocks.note(target, answer)
    const { journal } = this
    this.reconciler = createReconciler({ environments, http, journal, monotonic, clocks, report })
    this.deployments = createDeployments({
      environments,
      http,
      journal,
      reconciler: this.reconciler,
      drafts: withoutDrafts,
      report,
    })
  }

  /** 2xx answers have the form of the HTTP client's. */
  async #receive(request: HttpRequest): Promise<Answer> {
    const answer = await this.#answer(request)
    if (!answer.ok) return answer
    const { status, date = null, body } = answer.value
    const parts = [body] as unknown as AsyncIterable<Uint8Array>
    const sent = { status, contentType: 'application/json', retryAfter: null, date, age: null, body: parts }
    return await throughClient(request, () => Promise.resolve(sent))
  }

  async #answer(request: HttpRequest): Promise<Answer> {
    const { method, target, query } = request
    if (method === 'POST') {
      this.posts.push({ baseUrl: target.baseUrl, headers: target.headers })
      return await this.onPost(request)
    }
    const answer = await this.onList(request)
    if (answer) return answer
    return this.answered(200, pageOf(this.there.get(target.baseUrl)!, query))
  }

  answered(status: number, body: object): Answer {
    const date = this.isShown ? (this.date ?? new Date(this.time).toUTCString()) : null
    return succeed({ status, durationMs: 1, body: jsonBody(body), date })
  }

  /** Creates a deployment at a service. */
  make(at: string, request = agent, more: object = {}): { id: string } {
    const list = this.there.get(at)!
    const made = {
      ...request,
      id: `${at.slice(8, 9)}${list.length}`,
      created_at: new Date(this.time).toISOString(),
      status: 'READY',
      ...more,
    }
    list.push(made)
    return made
  }

  page(): Promise<unknown> {
    return this.deployments.page({ environmentId: this.current, query: { limit: 20, offset: 0 } }, never)
  }

  create(request = agent, again: Again = null, signal = never): ReturnType<typeof this.deployments.create> {
    const consent = again && { sentAgain: 0, ...again }
    return this.deployments.create(
      { environmentId: this.current, request, confirmedName: null, again: consent },
      signal,
    )
  }

  async lookUp(id: string): Promise<CreationEntry> {
    const looked = await this.reconciler.lookUp(this.current, id, never)
    if (!looked.ok) throw new Error(looked.failure.message)
    return looked.value
  }

  attempts = () => this.journal.creations()
  async last() {
    return (await this.attempts()).at(-1)!
  }
}

const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.failure.code)

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a creation that failed in the network, but had been carried out before (421)', () => {
  it('is found before its name is sent again', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return notSent
    }
    expect(codeOf(await world.create())).toBe('offline')
    expect((await world.last()).state).toBe('refused')
    expect(await world.create()).toMatchObject({ ok: true, value: { deployment: { id: 'a0' } } })
    expect(world.posts).toHaveLength(1)
    expect(await world.attempts()).toMatchObject([{ state: 'created', deploymentId: 'a0' }])
  })

  it("doesn't block its name once a lookup hasn't found it", async () => {
    const world = new World()
    world.onPost = () => notSent
    await world.create()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    expect(await world.lookUp((await world.last()).id)).toMatchObject({ state: 'created' })
  })

  it("isn't sent if that lookup was cancelled", async () => {
    const world = new World()
    world.onPost = () => notSent
    await world.create()
    const cancelling = new AbortController()
    world.onList = () => {
      cancelling.abort(failure('cancelled', 'Cancelled.'))
      return Promise.resolve(fail(failure('cancelled', 'Cancelled.')))
    }
    expect(codeOf(await world.create(agent, null, cancelling.signal))).toBe('cancelled')
    expect(world.posts).toHaveLength(1)
  })
})

describe('a creation that a gateway repeated, so that its first copy blocked the second', () => {
  /** Creates the first copy and answers the second. */
  const repeat = (world: World, status: number) => () => {
    if (world.there.get(a)!.length === 0) world.make(a)
    return fail(failure('conflict', 'Taken.', { sent: 'answered', status }))
  }

  it.each([409, 422, 429])('is reported as created: %i', async (status) => {
    const world = new World()
    world.onPost = repeat(world, status)
    expect(await world.create()).toMatchObject({ ok: true, value: { deployment: { id: 'a0' } } })
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it.each<[string, (world: World) => Answer]>([
    ['is cut off', () => lost],
    ['is refused', () => fail(failure('forbidden', 'No.', { sent: 'answered', status: 403 }))],
    [
      'brings another',
      (world) => world.answered(200, { resources: [{ ...agent, name: 'z', id: 'zz' }], offset: 1 }),
    ],
  ])('is reported as created even if reading it %s', async (_how, answer) => {
    const world = new World()
    world.onPost = repeat(world, 409)
    world.onList = ({ query }) => Promise.resolve(query?.has('deployment_ids') ? answer(world) : null)
    expect(await world.create()).toMatchObject({
      failure: {
        message: `"agent" was created, but it couldn't be read.`,
        advice: "Don't send it again: look for it in the list.",
        sent: 'answered',
        retryable: false,
      },
    })
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it("isn't reported with another service's deployment of the same identifier", async () => {
    const world = new World()
    world.onPost = repeat(world, 409)
    world.there.set(b, [{ ...world.make(b), id: 'a0' }])
    world.onList = ({ query }) => {
      if (query?.get('offset') !== '1') return Promise.resolve(null)
      world.leadsTo.baseUrl = b
      return Promise.resolve(world.answered(200, { resources: [], offset: 1 }))
    }
    expect(await world.create()).toMatchObject({
      failure: {
        code: 'other-service',
        message: '"agent" was created at the service that this environment pointed to before.',
      },
    })
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })
})

describe('the lookup after a refusal', () => {
  it.each(['cancelled', 'environment-changed'] as const)(
    "doesn't count if it was cancelled: %s",
    async (code) => {
      const world = new World()
      const leaving = new AbortController()
      world.onPost = () => {
        leaving.abort(failure(code, 'It was given up.'))
        return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
      }
      if (code === 'environment-changed')
        world.onList = () => Promise.resolve(fail(failure(code, 'It was given up.')))
      await world.create(agent, null, leaving.signal)
      expect(await world.last()).toMatchObject({ state: 'unclear', lookup: null, lookFailure: null })
      world.reconciler.close()
    },
  )

  it('is noted if it gets no answer', async () => {
    const world = new World()
    world.onPost = () => fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    world.onList = () => Promise.resolve(fail(failure('timeout', 'Late.', { sent: 'maybe' })))
    await world.create()
    expect(await world.last()).toMatchObject({ state: 'unclear', lookFailure: { code: 'timeout' } })
    world.reconciler.close()
  })
})

describe('a refusal while the list has an older deployment of the name', () => {
  const older = (world: World, more: object = {}) =>
    world.make(a, { ...agent, ...more }, { created_at: new Date(world.time - 20 * hour).toISOString() })

  it.each([
    ['the same', {}],
    ['another', { source_config: {} }],
  ])('counts if the list is complete: %s', async (_what, more) => {
    const world = new World()
    await world.page()
    older(world, more)
    world.onPost = () => fail(failure('rate-limited', 'No.', { sent: 'answered', status: 429 }))
    expect(codeOf(await world.create())).toBe('rate-limited')
    expect((await world.last()).state).toBe('refused')
  })

  it.each([
    ['the same', {}, 'unreadable'],
    ['another', { source_config: {} }, 'unreadable'],
    ['the same', {}, 'incomplete'],
    ['another', { source_config: {} }, 'incomplete'],
  ])('is unconfirmed if the list may hide another deployment: %s, %s, %s', async (_what, more, reason) => {
    const world = new World()
    await world.page()
    older(world, more)
    if (reason === 'unreadable') world.there.get(a)!.push({ broken: 1 })
    // Every page is full, and none is the last one.
    else
      world.onList = () => {
        const others = Array.from({ length: 99 }, (_, at) => ({
          ...agent,
          id: `o${at}`,
          name: `agent-${at}`,
        }))
        return Promise.resolve(
          world.answered(200, { resources: [...world.there.get(a)!, ...others], offset: 0 }),
        )
      }
    world.onPost = () => fail(failure('rate-limited', 'No.', { sent: 'answered', status: 429 }))
    expect(codeOf(await world.create())).toBe('rate-limited')
    const { id } = await world.last()
    for (const looked of [await world.last(), await world.lookUp(id)])
      expect(looked).toMatchObject({
        state: 'unclear',
        lookup: { verdict: 'cannot-tell', reason, deployment: null },
      })
    expect(codeOf(await world.create())).toBe('attempt-unclear')
    expect(world.posts).toHaveLength(1)
  })
})

test('an attempt that is read while another one begins, because the keychain answers, blocks its name', async () => {
  const world = new World()
  await world.create()
  const { creations } = world.journal
  let locked = true
  vi.spyOn(world.journal, 'creations').mockImplementation(async () => (locked ? [] : await creations()))
  vi.spyOn(world.journal, 'incompleteReason').mockImplementation(() => {
    locked = false
    return Promise.resolve(null)
  })
  expect(codeOf(await world.create())).toBe('attempt-unclear')
  expect(world.posts).toHaveLength(1)
})

test('an attempt that becomes readable while the service is asked for its name blocks it', async () => {
  const world = new World()
  await world.create()
  const { creations } = world.journal
  let locked = true
  vi.spyOn(world.journal, 'creations').mockImplementation(async () => (locked ? [] : await creations()))
  vi.spyOn(world.journal, 'incompleteReason').mockResolvedValue('keychain')
  world.onList = () => {
    locked = false
    return Promise.resolve(world.answered(200, { resources: [], offset: 0 }))
  }
  expect(codeOf(await world.create())).toBe('attempt-unclear')
  expect(world.posts).toHaveLength(1)
})

describe('an environment that was edited meanwhile', () => {
  it('keeps a name blocked at one service, whatever another service created', async () => {
    const world = new World()
    await world.create()
    const first = await world.last()
    await world.journal.noteLookup(first.id, { state: 'not-created', lookFailure: null })
    world.leadsTo.baseUrl = b
    world.onPost = () => world.answered(201, world.make(b))
    expect(codeOf(await world.create(agent, { attemptId: first.id, deploymentId: null }))).toBe('ok')
    expect(isCreatedLater(first, await world.attempts())).toBe(false)
    world.leadsTo.baseUrl = a
    expect(codeOf(await world.create())).toBe('attempt-unclear')
    // Once it is created at the first service, it no longer blocks the name.
    world.onPost = () => world.answered(201, world.make(a))
    expect(codeOf(await world.create(agent, { attemptId: first.id, deploymentId: null, sentAgain: 1 }))).toBe(
      'ok',
    )
    expect(isCreatedLater(first, await world.attempts())).toBe(true)
    expect(codeOf(await world.create())).toBe('ok')
  })

  it("doesn't accept an identifier of another service as its own", async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    const { id } = await world.last()
    world.leadsTo.baseUrl = b
    const other = { ...agent, name: 'other' }
    world.onPost = () => world.answered(201, { ...world.make(b, other), id: 'a0' })
    expect(codeOf(await world.create(other))).toBe('ok')
    world.leadsTo.baseUrl = a
    expect(await world.lookUp(id)).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it.each([1, 1_000])('asks no other service about a request with %i labels', async (count) => {
    const world = new World()
    const labels = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`label-${at}`, `value-${at}`]),
    )
    const request = { ...agent, source_config: { resource_spec: { labels, cpu: 1 } } }
    await world.create(request)
    const { id } = await world.last()
    world.leadsTo.baseUrl = b
    expect((await world.lookUp(id)).lookFailure?.code).toBe('other-service')
    // It was removed, and added again with another identifier.
    Object.assign(world, { known: ['e2'], current: 'e2' })
    world.leadsTo = { ...world.leadsTo, environmentId: 'e2', baseUrl: a }
    expect(codeOf(await world.create(request))).toBe('attempt-unclear')
    expect(world.posts).toHaveLength(1)
    world.make(a, request)
    await world.lookUp(id)
    const { state, lookup } = await world.last()
    expect([state, lookup?.reason]).toEqual(count === 1 ? ['created', null] : ['unclear', 'not-kept'])
  })

  it('shows the blocking attempt if the consent names another one, even if the edit was undone', async () => {
    const world = new World()
    await world.create()
    const first = await world.last()
    world.leadsTo.baseUrl = b
    await world.create(agent, { attemptId: first.id, deploymentId: null })
    const second = await world.last()
    const elsewhere = async (): Promise<string[]> =>
      (await world.attempts()).flatMap(({ id, lookFailure }) =>
        lookFailure?.code === 'other-service' ? [id] : [],
      )
    for (const [baseUrl, here, other] of [
      [a, first, second],
      [b, second, first],
      [a, first, second],
    ] as const) {
      world.leadsTo.baseUrl = baseUrl
      const named = await world.create(agent, { attemptId: other.id, deploymentId: null })
      expect(codeOf(named)).toBe('attempt-unclear')
      expect(await elsewhere()).toEqual([other.id])
      expect(await world.create(agent, { attemptId: here.id, deploymentId: 'another' })).toMatchObject({
        failure: { code: 'attempt-changed' },
      })
    }
    expect(world.posts).toHaveLength(2)
  })

  it.each([{ baseUrl: b }, { headers: { 'X-Api-Key': 'new' } }])(
    'during the lookup before sending again sends nothing with the old settings: %j',
    async (edit) => {
      const world = new World()
      await world.create()
      const { id } = await world.last()
      world.onList = () => {
        Object.assign(world.leadsTo, edit)
        return Promise.resolve(null)
      }
      expect(codeOf(await world.create(agent, { attemptId: id, deploymentId: null }))).toBe(
        'environment-changed',
      )
      expect(world.posts).toHaveLength(1)
    },
  )

  it('during the lookup of a refused attempt shows nothing of another service with the same identifier', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return notSent
    }
    await world.create()
    world.there.set(b, [{ ...world.make(b), id: 'a0' }])
    world.onList = ({ query }) => {
      if (query?.get('offset') !== '1') return Promise.resolve(null)
      world.leadsTo.baseUrl = b
      return Promise.resolve(world.answered(200, { resources: [], offset: 1 }))
    }
    expect(await world.create()).toMatchObject({ failure: { code: 'conflict', sent: 'no' } })
    expect(world.posts).toHaveLength(1)
  })

  it.each([
    { baseUrl: b },
    { headers: { 'X-Api-Key': 'new' } },
    { network: { ...systemNetwork, proxy: { mode: 'none' } } },
  ] satisfies Partial<HttpTarget>[])(
    'while the answer is on its way reports it as created at the former service: %j',
    async (edit) => {
      const world = new World()
      world.onPost = () => {
        Object.assign(world.leadsTo, edit)
        return world.answered(201, world.make(a))
      }
      expect(await world.create()).toMatchObject({ failure: { code: 'other-service', sent: 'answered' } })
      expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
    },
  )

  it('while the attempt was written sends nothing', async () => {
    const world = new World()
    const begin = world.journal.beginCreation
    vi.spyOn(world.journal, 'beginCreation').mockImplementation((...what) => {
      world.leadsTo.baseUrl = b
      return begin(...what)
    })
    expect(await world.create()).toMatchObject({
      failure: {
        code: 'environment-changed',
        sent: 'no',
        message: 'The environment was edited in the meantime, so nothing was sent.',
      },
    })
    expect(world.posts).toEqual([])
    expect(await world.last()).toMatchObject({ state: 'refused', failure: { code: 'environment-changed' } })
  })

  it("while waiting for the answer doesn't show the old service's deployment as its own", async () => {
    const world = new World()
    world.onPost = () => {
      world.leadsTo.baseUrl = b
      return world.answered(201, world.make(a))
    }
    expect(await world.create()).toMatchObject({
      failure: {
        code: 'other-service',
        sent: 'answered',
        message: '"agent" was created at the service that this environment pointed to before.',
      },
    })
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it('that leads to the same service says that the deployment may be in the list', async () => {
    const world = new World()
    world.onPost = () => {
      world.leadsTo.headers = { 'X-Api-Key': 'renewed' }
      return world.answered(201, world.make(a))
    }
    expect(await world.create()).toMatchObject({
      failure: {
        code: 'other-service',
        message: `"agent" was created with the environment's settings from before the edit.`,
        advice: expect.stringContaining('look there before you create it again') as string,
      },
    })
  })

  it.each<[string, (world: World) => void]>([
    ['path', (world) => (world.leadsTo.baseUrl = `${a}/v1`)],
    ['tenant', (world) => (world.leadsTo.headers = { 'X-Tenant-Id': 'other' })],
    ['host', (world) => (world.leadsTo.baseUrl = b)],
  ])("during a creation doesn't send the name again: another %s", async (_what, edit) => {
    const world = new World()
    let answer!: (answer: Answer) => void
    let first!: ReturnType<World['create']>
    await new Promise<void>((isSent) => {
      world.onPost = () => {
        isSent()
        return new Promise((resolve) => (answer = resolve))
      }
      first = world.create()
    })
    edit(world)
    world.onPost = () => lost
    const second = await world.create()
    expect(second).toMatchObject({
      failure: { code: 'conflict', sent: 'no', message: '"agent" is already being created.' },
    })
    answer(lost)
    expect(codeOf(await first)).toBe('connection-lost')
    expect(codeOf(await world.create())).toBe('attempt-unclear')
    expect(world.posts).toHaveLength(1)
  })
})

describe('an attempt of another environment', () => {
  /** Switches to an environment with this base URL. */
  const use = (world: World, id: string, baseUrl: string, headers: Record<string, string> = {}): void => {
    world.current = id
    world.leadsTo = { environmentId: id, baseUrl, headers }
    if (!world.known.includes(id)) world.known.push(id)
    world.services[id] = baseUrl
  }

  it('that now leads elsewhere is adopted if its service is reached with the same headers', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    use(world, 'e1', b)
    use(world, 'e2', a)
    await world.reconciler.follow()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await world.last()).toMatchObject({ environmentId: 'e2', state: 'created', deploymentId: 'a0' })
    world.reconciler.close()
  })

  it('keeps what its own environment found, whatever is looked up with another key', async () => {
    const world = new World()
    const withSecret = { ...agent, secrets: [{ name: 'KEY', value: 'value' }] }
    world.onPost = () => {
      world.make(a, { ...agent, secrets: [{ name: 'KEY' } as never] })
      return lost
    }
    await world.create(withSecret)
    const { id } = await world.last()
    const found = { state: 'unclear', lookup: { reason: 'secrets', deployment: { id: 'a0' } } }
    expect(await world.lookUp(id)).toMatchObject(found)
    use(world, 'e2', a, { 'X-Api-Key': 'another' })
    await world.lookUp(id)
    expect(await world.last()).toMatchObject(found)
    world.reconciler.close()
  })

  it("isn't adopted as long as its environment isn't known, but may be looked up and consented to", async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    use(world, 'e2', a)
    await world.reconciler.follow()
    expect((await world.last()).environmentId).toBe('e1')
    expect(await world.create()).toMatchObject({
      failure: {
        code: 'attempt-unclear',
        message: 'Creation of "agent" is unconfirmed: an attempt in "e1" may have created it.',
        advice: expect.stringMatching(/^It was sent to the same service\. See what was found/) as string,
        attemptId: id,
      },
    })
    expect(await world.lookUp(id)).toMatchObject({ environmentId: 'e1', lookup: { verdict: 'not-found' } })
    expect(codeOf(await world.create(agent, { attemptId: id, deploymentId: 'another' }))).toBe(
      'attempt-changed',
    )
    expect(world.posts).toHaveLength(1)
    world.onPost = () => world.answered(201, world.make(a))
    expect(codeOf(await world.create(agent, { attemptId: id, deploymentId: null }))).toBe('ok')
    world.reconciler.close()
  })

  it.each([
    ['with another key', {}, { 'x-key': 'another' }, 'with other request headers, or another proxy'],
    ['in a way that an earlier version did not keep', { routeIdentity: null }, {}, "aren't known. So it may"],
    [
      'with headers that were not kept',
      { headersIdentity: null },
      { 'x-key': 'another' },
      "aren't known. So",
    ],
  ])('that was sent %s is reported with what is known about it', async (_how, lacks, headers, words) => {
    const world = new World()
    await world.create()
    const { creations } = world.journal
    world.journal.creations = async () => (await creations()).map((one) => ({ ...one, ...lacks }))
    use(world, 'e2', a, headers)
    expect(await world.create()).toMatchObject({
      failure: { code: 'attempt-unclear', advice: expect.stringContaining(words) as string },
    })
    world.reconciler.close()
  })

  it('is found, or claimed, from there before its name is sent again', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    use(world, 'e2', a)
    world.make(a, { ...agent, source_config: {} })
    const { lookup } = await world.lookUp(id)
    expect(lookup).toMatchObject({ verdict: 'different', deployment: { id: 'a0' } })
    expect(await world.reconciler.claim('e2', id, 'a0', never)).toMatchObject({ ok: true })
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it("isn't looked up from an environment of another service, which notes nothing about it", async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    use(world, 'e2', b)
    expect(await world.reconciler.lookUp('e2', id, never)).toMatchObject({ failure: { code: 'not-found' } })
    use(world, 'e3', a)
    world.onList = () => Promise.resolve(fail(failure('timeout', 'Late.', { sent: 'maybe' })))
    const looking = world.reconciler.lookUp('e3', id, never)
    world.leadsTo.baseUrl = b
    await looking
    expect((await world.last()).lookFailure).toBeNull()
  })

  describe('with the key of another account', () => {
    const [keyA, keyB] = [{ 'X-Api-Key': 'of account A' }, { 'X-Api-Key': 'of account B' }]
    /** A service that lists the deployments of the key's account, and one attempt in A that was carried out. */
    async function lostInA(): Promise<World> {
      const world = new World()
      world.leadsTo.headers = keyA
      const made = new Map<string, object[]>()
      world.onPost = ({ target: { headers } }) => {
        const key = JSON.stringify(headers)
        made.set(key, [...(made.get(key) ?? []), world.make(a)])
        return lost
      }
      world.onList = ({ target: { headers }, query }) => {
        const resources = query?.get('offset') === '0' ? (made.get(JSON.stringify(headers)) ?? []) : []
        return Promise.resolve(world.answered(200, { resources, offset: resources.length }))
      }
      await world.create()
      return world
    }

    it.each([
      ['its own environment', 'e1'],
      ['another one after its own was removed', 'e2'],
    ])('is never reported as not created: in %s', async (_where, id) => {
      const world = await lostInA()
      const first = await world.last()
      world.known = []
      use(world, id, a, keyB)
      for (let looks = 0; looks < 3; looks += 1) {
        await world.reconciler.follow()
        await vi.advanceTimersByTimeAsync(hour)
        expect(await world.lookUp(first.id)).toMatchObject({
          state: 'unclear',
          environmentName: 'e1',
          lookup: { verdict: 'cannot-tell', reason: 'credentials' },
        })
      }
      // Once the operator has its key again, it is found.
      world.reconciler.close()
      use(world, 'e3', a, keyA)
      expect(await world.lookUp(first.id)).toMatchObject({ state: 'created', deploymentId: 'a0' })
    })

    it("blocks its name, isn't reported as being at the same service, and may be consented to", async () => {
      const world = await lostInA()
      const { id } = await world.last()
      use(world, 'e2', a, keyB)
      const outcome = await world.create()
      expect(outcome).toMatchObject({ failure: { code: 'attempt-unclear', attemptId: id } })
      expect(JSON.stringify(outcome)).toContain('may be the same service, another service or another account')
      expect(world.posts).toHaveLength(1)
      await world.lookUp(id)
      world.onPost = () => world.answered(201, world.make(a))
      expect(codeOf(await world.create(agent, { attemptId: id, deploymentId: null }))).toBe('ok')
      // A creation in B says nothing about A.
      expect(isCreatedLater((await world.attempts())[0]!, await world.attempts())).toBe(false)
    })

    it("doesn't prove that a refused attempt isn't there", async () => {
      const world = new World()
      world.leadsTo.headers = keyA
      world.onPost = () => {
        world.leadsTo.headers = keyB
        return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
      }
      await world.create()
      expect(await world.last()).toMatchObject({ state: 'unclear', lookup: { reason: 'credentials' } })
      world.reconciler.close()
    })
  })
})

describe('an attempt that becomes readable only after the start', () => {
  const key = 'ab'.repeat(32)
  const lostBefore = async (): Promise<World> => {
    const world = new World()
    world.key = key
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.page()
    await world.create()
    world.reconciler.close()
    return world
  }
  /** Starts Slipway, which looks up the attempts of its journal. */
  const start = async (world: World, key: string | null): Promise<void> => {
    world.reconciler.close()
    world.key = key
    world.start()
    await world.reconciler.follow()
    await vi.advanceTimersByTimeAsync(hour)
    expect(await world.attempts()).toEqual([])
  }
  const unlock = async (world: World): Promise<void> => {
    world.key = key
    await world.journal.unlock()
    expect(await world.last()).toMatchObject({ state: 'unclear' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
    world.reconciler.close()
  }

  it('because the keychain was locked is looked up automatically once it is unlocked', async () => {
    const world = await lostBefore()
    await start(world, null)
    await unlock(world)
  })

  it('because its journal was set aside is looked up automatically once that is added again', async () => {
    const world = await lostBefore()
    await start(world, 'cd'.repeat(32))
    await start(world, null)
    await unlock(world)
  })
})

describe('consent to send a name again', () => {
  it('is needed again if the attempt is settled during the last wait before sending', async () => {
    const world = new World()
    await world.page()
    await world.create()
    const { id } = await world.last()
    const begin = world.journal.beginCreation
    vi.spyOn(world.journal, 'beginCreation').mockImplementationOnce(async (...what) => {
      const begun = await begin(...what)
      world.onReady = () =>
        world.journal.noteLookup(id, { state: 'not-created', lookup: found, lookFailure: null })
      return begun
    })
    const deployment = { id: 'a0', createdAt: null, status: 'READY' }
    const found: Lookup = {
      at: new Date().toISOString(),
      verdict: 'different',
      deployment,
      differences: ['source'],
      reason: null,
    }
    const outcome = await world.create(agent, { attemptId: id, deploymentId: null })
    expect(codeOf(outcome)).toBe('attempt-changed')
    expect(world.posts).toHaveLength(1)
    world.reconciler.close()
  })
})

describe('a lookup that ends with an error', () => {
  it('is reported, and repeated', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    const reported: unknown[] = []
    world.report = (error) => reported.push(error)
    vi.spyOn(world.journal, 'noteLookup').mockRejectedValueOnce(new Error('It broke.'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(reported).toEqual([new Error('It broke.')])
    expect((await world.last()).state).toBe('unclear')
    await vi.advanceTimersByTimeAsync(2_000)
    expect((await world.last()).state).toBe('created')
    world.reconciler.close()
  })
})

describe('an error while a created deployment is read', () => {
  const broken = (world: World): unknown[] => {
    const reported: unknown[] = []
    world.report = (error) => reported.push(error)
    world.onList = ({ query }) =>
      query?.has('deployment_ids') ? Promise.reject(new Error('It broke.')) : Promise.resolve(null)
    return reported
  }

  it('leaves the creation reported as created although the service had refused it', async () => {
    const world = new World()
    const reported = broken(world)
    world.onPost = () => {
      world.make(a)
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    await world.page()
    expect(await world.create()).toMatchObject({
      ok: false,
      failure: { code: 'internal', message: `"agent" was created, but it couldn't be read.` },
    })
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
    expect(reported).toEqual([new Error('It broke.')])
    world.reconciler.close()
  })

  it("isn't taken for an error of the journal if an earlier attempt had created it", async () => {
    const world = new World()
    world.onPost = () => fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    await world.page()
    await world.create()
    expect(await world.last()).toMatchObject({ state: 'refused' })
    world.make(a)
    broken(world)
    expect(await world.create()).toMatchObject({
      ok: false,
      failure: { message: '"agent" already exists: the earlier attempt created it.' },
    })
    expect(world.posts).toHaveLength(1)
    world.reconciler.close()
  })
})

describe('an attempt that another environment adopts during a lookup', () => {
  it('is settled by the result of that lookup', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.page()
    await world.create()
    const { id } = await world.last()
    world.onList = async () => {
      await world.journal.moveCreation(id, { environmentId: 'e2', environmentName: 'Other' })
      return null
    }
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await world.last()).toMatchObject({ environmentId: 'e2', state: 'created', deploymentId: 'a0' })
    world.reconciler.close()
  })
})

describe('an attempt that Slipway held back', () => {
  it.each(['keychain-locked', 'built-in-service', 'environment-changed'] as const)(
    'is no reason to look its name up before it is sent: %s',
    async (code) => {
      const world = new World()
      const begin = world.journal.beginCreation
      vi.spyOn(world.journal, 'beginCreation').mockImplementationOnce(async (...what) => {
        const id = await begin(...what)
        world.notReady = failure(code, 'Not ready.')
        return id
      })
      expect(codeOf(await world.create())).toBe(code)
      expect(await world.last()).toMatchObject({ state: 'refused', heldBack: true })
      world.notReady = null
      world.onList = () => expect.unreachable('The list was asked.')
      world.onPost = () => world.answered(201, world.make(a))
      expect(codeOf(await world.create())).toBe('ok')
    },
  )

  it('is ended even if the journal fails right after it was written', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    const begin = world.journal.beginCreation
    vi.spyOn(world.journal, 'beginCreation').mockImplementationOnce(async (...what) => {
      const begun = await begin(...what)
      vi.spyOn(world.journal, 'creations').mockRejectedValueOnce(new JournalError('It cannot be read.'))
      return begun
    })
    expect(codeOf(await world.create(agent, { attemptId: id, deploymentId: null }))).toBe('internal')
    expect(world.posts).toHaveLength(1)
    expect(await world.last()).toMatchObject({ state: 'refused', heldBack: true })
  })

  it('is reported as the journal’s failure only if it is one', async () => {
    const world = new World()
    const broken = (): never => {
      throw new RangeError('A defect.')
    }
    vi.spyOn(world.reconciler, 'readClocks').mockImplementationOnce(broken)
    const report = vi.fn()
    world.report = report
    expect(await world.create()).toMatchObject({
      failure: {
        message: 'Something went wrong inside Slipway, so nothing was sent.',
        sent: 'no',
      },
    })
    expect(report).toHaveBeenCalledTimes(1)
    world.disk.plan(Array.from({ length: 50 }, () => ({ code: 'ENOSPC' as const, done: 0 })))
    expect(await world.create()).toMatchObject({
      failure: { message: "The journal couldn't be written, so nothing was sent." },
    })
    expect(world.posts).toEqual([])
  })
})

describe('an error inside the application after a request was sent', () => {
  const taken = fail(failure('conflict', 'Taken.', { sent: 'answered', status: 409 }))

  it.each([
    ['the network', () => Promise.reject(new Error('A defect.'))],
    ['the look after a refusal', () => Promise.resolve(taken)],
  ])('leaves the attempt unconfirmed, looked up and blocking its name: in %s', async (_where, answer) => {
    const world = new World()
    world.report = vi.fn()
    world.onPost = () => {
      world.make(a)
      vi.spyOn(world.journal, 'creations').mockRejectedValueOnce(new Error('It cannot be read.'))
      return answer()
    }
    const { failure: refused } = (await world.create()) as { failure: Failure }
    expect(refused).toMatchObject({ code: 'internal', sent: 'maybe', retryable: false })
    expect(refused.advice).toContain('The creation is unconfirmed.')
    expect(world.report).toHaveBeenCalled()
    expect(await world.last()).toMatchObject({ state: 'unclear', failure: { code: 'internal' } })
    expect(codeOf(await world.create())).toBe('attempt-unclear')
    expect(world.posts).toHaveLength(1)
  })

  it('is followed', async () => {
    const world = new World()
    world.report = vi.fn()
    world.onPost = () => {
      world.make(a)
      return Promise.reject(new Error('A defect.'))
    }
    await world.create()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })
})

describe('an impossible header Date', () => {
  it.each([
    'Sat, 13 Sep 275760 00:00:00 GMT',
    'Sat, 13 Sep 9999 00:00:00 GMT',
    'Thu, 01 Jan 1970 00:00:00 GMT',
  ])('prevents no creation, and proves nothing about its time: %s', async (date) => {
    const world = new World()
    world.date = date
    await world.page()
    world.onPost = () => world.answered(201, world.make(a))
    expect(codeOf(await world.create())).toBe('ok')
    const carriedOut = { ...agent, name: 'carried-out' }
    world.onPost = () => {
      world.make(a, carriedOut)
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    expect(codeOf(await world.create(carriedOut))).not.toBe('bad-request')
    expect((await world.last()).state).not.toBe('refused')
    world.reconciler.close()
  })
})

describe('a clock that is set between sending and the lookup', () => {
  const theirs = (world: World, ago: number) =>
    world.make(a, agent, { created_at: new Date(world.time - ago).toISOString() })

  it('never makes someone else’s deployment match', async () => {
    for (const isListed of [true, false]) {
      const world = new World()
      theirs(world, hour - 20_000)
      if (isListed) await world.page()
      await world.create()
      const { id } = await world.last()
      vi.setSystemTime(Date.now() + hour)
      const { state, lookup } = await world.lookUp(id)
      expect(state).toBe('unclear')
      expect(lookup).toMatchObject(
        isListed
          ? { verdict: 'cannot-tell', reason: 'no-time' }
          : { verdict: 'cannot-tell', reason: 'clock' },
      )
      world.reconciler.close()
    }
  })

  it('hides no match if the service has shown its clock, even after a restart', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.page()
    await world.create()
    const { id } = await world.last()
    vi.setSystemTime(Date.now() - 30 * 24 * hour)
    world.reconciler.close()
    world.start()
    expect(await world.lookUp(id)).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it("leaves it to the operator after a restart if the service’s clock wasn't known", async () => {
    const world = new World()
    world.isShown = false
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    const { id } = await world.last()
    world.reconciler.close()
    world.start()
    expect(await world.lookUp(id)).toMatchObject({ state: 'unclear', lookup: { reason: 'clock' } })
  })
})

describe('the lookup before a name is sent again', () => {
  it("is independent: cancelling another one doesn't affect it", async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    const cancelling = new AbortController()
    world.onList = (request) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(null), 1_000)
        request.signal?.addEventListener('abort', () => {
          clearTimeout(timer)
          resolve(fail(failure('cancelled', 'Cancelled.', { sent: 'maybe' })))
        })
      })
    const looking = world.reconciler.lookUp('e1', id, cancelling.signal)
    const creating = world.create(agent, { attemptId: id, deploymentId: null })
    await vi.advanceTimersByTimeAsync(100)
    world.make(a)
    cancelling.abort()
    await vi.advanceTimersByTimeAsync(20_000)
    await looking
    expect(codeOf(await creating)).toBe('attempt-changed')
    expect(world.posts).toHaveLength(1)
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it('may get no answer, but must not be cancelled', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    for (const [code, sent] of [
      ['cancelled', 1],
      ['internal', 1],
      ['keychain-locked', 1],
      ['timeout', 2],
    ] as const) {
      world.onList = () => Promise.resolve(fail(failure(code, 'No answer.', { sent: 'maybe' })))
      await world.create(agent, { attemptId: id, deploymentId: null })
      expect(world.posts, code).toHaveLength(sent)
    }
  })
})

describe('a claim', () => {
  it("is on the disk when it is acknowledged, and changes nothing if it can't be written", async () => {
    const world = new World()
    world.report = vi.fn()
    world.onPost = () => {
      world.make(a, { ...agent, source_config: {} })
      return lost
    }
    await world.create()
    const { id } = await world.last()
    expect(await world.lookUp(id)).toMatchObject({ state: 'unclear', lookup: { verdict: 'different' } })
    const claim = () => world.reconciler.claim('e1', id, 'a0', never)
    world.disk.plan(Array.from({ length: 20 }, () => ({ code: 'ENOSPC', done: 0 }) as const))
    expect(await claim()).toMatchObject({
      failure: {
        code: 'internal',
        message: "The journal couldn't be written, so the attempt is still unconfirmed.",
        retryable: true,
      },
    })
    expect(world.report).toHaveBeenCalledOnce()
    expect(await world.last()).toMatchObject({ state: 'unclear', deploymentId: null })
    world.disk.plan([])
    expect(await claim()).toMatchObject({ ok: true, value: { state: 'created', deploymentId: 'a0' } })
    world.reconciler.close()
    world.disk.restart(0)
    world.start()
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })
})

describe('attempts at one name', () => {
  const refusal = (status: number): Answer => fail(failure('forbidden', 'No.', { sent: 'answered', status }))

  it("aren't distinguished by what the list leaves out", async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    // A gateway sends it twice, and answers the second copy. The list doesn't say which secrets there are.
    world.onPost = () => {
      world.make(a)
      return refusal(403)
    }
    const request = { ...agent, secrets: [{ name: 'KEY', value: 'secret' }] }
    expect((await world.create(request, { attemptId: id, deploymentId: null })).ok).toBe(false)
    expect((await world.attempts()).map(({ state }) => state)).toEqual(['unclear', 'unclear'])
  })

  it('are matched next to a refused one of a version that stored nothing to compare', async () => {
    const world = new World()
    const old = await world.journal.beginCreation({ environmentId: 'e1', environmentName: 'e1' }, {
      ...agent,
      fingerprint: null,
      serviceIdentity: null,
      startedAtService: null,
      before: [],
    } as never)
    await world.journal.endCreation(old, {
      state: 'refused',
      failure: failure('invalid-input', 'No.', { sent: 'answered', status: 422 }),
    })
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    expect(await world.lookUp((await world.last()).id)).toMatchObject({ state: 'created' })
  })

  it("are matched next to one that was refused long ago, and wasn't carried out since", async () => {
    const world = new World()
    world.onPost = () => refusal(401)
    await world.create()
    vi.advanceTimersByTime(hour)
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    expect(await world.lookUp((await world.last()).id)).toMatchObject({ state: 'created' })
  })

  it.each(['the clock was set', 'Slipway was restarted'])(
    "aren't distinguished by how long ago one was refused, if %s since",
    async (what) => {
      const world = new World()
      await world.page()
      world.onPost = () => refusal(401)
      await world.create()
      vi.setSystemTime(Date.now() + hour)
      if (what !== 'the clock was set') {
        world.reconciler.close()
        world.start()
      }
      await world.page()
      // A late copy of the first one. The second one never arrives.
      world.onPost = () => {
        world.make(a)
        return lost
      }
      await world.create()
      expect(await world.lookUp((await world.last()).id)).toMatchObject({
        state: 'unclear',
        lookup: { verdict: 'cannot-tell', reason: 'several', deployment: { id: 'a0' } },
      })
    },
  )

  it('are also refused by a later lookup if an older deployment has the name', async () => {
    const world = new World()
    const other = { ...agent, source_revision_config: { image_uri: 'internal/other:1' } }
    world.make(a, other, { created_at: new Date(world.time - hour).toISOString() })
    world.onPost = () => refusal(409)
    world.onList = () => Promise.resolve(fail(failure('timeout', 'Late.', { sent: 'maybe' })))
    await world.create()
    const { id, state } = await world.last()
    expect(state).toBe('unclear')
    world.onList = () => Promise.resolve(null)
    expect(await world.lookUp(id)).toMatchObject({ state: 'refused' })
  })
})

describe('a service that rewrites names', () => {
  const named = (name: string): CreateRequest => ({ ...agent, name })
  /** Creates under another form of the name. Its filter of the list is exact. */
  const writing = (written: string) => {
    const world = new World()
    world.onPost = () => {
      world.make(a, named(written))
      return lost
    }
    world.onList = ({ query }) => {
      const all = world.there.get(a)! as { name: string }[]
      const found = all.filter(({ name }) => name.includes(query?.get('name_contains') ?? ''))
      return Promise.resolve(world.answered(200, pageOf(found, query)))
    }
    return world
  }

  it.each([
    ['MyApp', 'myapp'],
    ['Cafe\u0301', 'caf\u00e9'],
    ['trail ', 'trail'],
    ['My App', 'my-app'],
    ['my_app', 'my-app'],
    ['my-app', 'my_app'],
    ['My App', 'My_App'],
    ['my-app', 'my app'],
    ['my-app', 'MY-APP'],
    ['my-app', 'My-app'],
    ['caf\u00e9', 'cafe\u0301'],
    ['ＭｙＡｐｐ', 'myapp'],
  ])(
    "turns %j into %j: that is shown, isn't an absence, and only the operator settles it",
    async (name, written) => {
      const world = writing(written)
      await world.create(named(name))
      const { id } = await world.last()
      for (const wait of [0, hour]) {
        await vi.advanceTimersByTimeAsync(wait)
        expect(await world.lookUp(id)).toMatchObject({
          state: 'unclear',
          lookup: { verdict: 'cannot-tell', reason: 'alike', deployment: { id: 'a0', name: written } },
        })
      }
      expect(codeOf(await world.create(named(name)))).toBe('attempt-unclear')
      expect(world.posts).toHaveLength(1)
      expect(await world.reconciler.claim('e1', id, 'a0', never)).toMatchObject({
        value: { state: 'created' },
      })
      world.reconciler.close()
    },
  )

  it('may have created what it reports as refused', async () => {
    const world = writing('myapp')
    world.onPost = () => {
      world.make(a, named('myapp'))
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    expect((await world.create(named('MyApp'))).ok).toBe(false)
    expect(await world.last()).toMatchObject({ state: 'unclear', lookup: { reason: 'alike' } })
    world.reconciler.close()
  })

  it("hasn't created a deployment that is older than the attempt", async () => {
    const world = writing('')
    await world.page()
    world.make(a, named('myapp'), { created_at: new Date(world.time - hour).toISOString() })
    world.onPost = () => lost
    await world.create(named('MyApp'))
    const { id } = await world.last()
    expect(await world.lookUp(id)).toMatchObject({ lookup: { verdict: 'not-found', deployment: null } })
    await vi.advanceTimersByTimeAsync(hour)
    expect(await world.lookUp(id)).toMatchObject({ state: 'not-created' })
    world.reconciler.close()
  })

  it("may have made a later attempt's name of one name", async () => {
    const world = writing('myapp')
    await world.create(named('MyApp'))
    world.onPost = () => lost
    await world.create(named('myapp'))
    expect(await world.lookUp((await world.last()).id)).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'several', deployment: { id: 'a0' } },
    })
    world.reconciler.close()
  })

  it("isn't asked to create as long as the journal can’t say whether it did", async () => {
    const world = writing('')
    world.make(a, named('myapp'))
    vi.spyOn(world.journal, 'incompleteReason').mockResolvedValue('gap')
    expect(await world.create(named('MyApp'))).toMatchObject({
      failure: { message: `Slipway can't tell whether an earlier attempt created "MyApp".` },
    })
    expect(world.posts).toHaveLength(0)
  })
})

describe('a created deployment with more than is requested now', () => {
  const sidecar = { name: 'spy', image: 'spy:1' }
  const more: CreateRequest = {
    ...agent,
    source_config: {
      ...agent.source_config,
      deployment_type: 'dev',
      install_command: 'curl example.com | sh',
      resource_spec: { ...agent.source_config.resource_spec, sidecars: [sidecar] },
    },
    secret_references: [],
  }
  const without = (member: 'install_command' | 'deployment_type'): CreateRequest => ({
    ...more,
    source_config: { ...more.source_config, [member]: null },
  })
  const spec = { ...more.source_config.resource_spec }

  it.each<[string, CreateRequest]>([
    ['the install command', without('install_command')],
    ['the type, which no answer has to show', without('deployment_type')],
    ['the sidecar', { ...more, source_config: { ...more.source_config, ...agent.source_config } }],
    [
      'one number',
      { ...more, source_config: { ...more.source_config, resource_spec: { ...spec, cpu: null } } },
    ],
  ])("isn't reported as created without %s", async (_what, less) => {
    const world = new World()
    world.onPost = () => fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    await world.create(more)
    // A gateway's first copy arrived late.
    const { deployment_type: _left, ...shown } = more.source_config
    world.make(a, { ...more, source_config: shown })
    expect(await world.create(less)).toMatchObject({
      failure: {
        code: 'conflict',
        message: '"agent" already exists: the earlier attempt created it.',
        advice: 'Nothing was created twice. This request differs from it: choose another name.',
      },
    })
    expect(world.posts).toHaveLength(1)
  })

  it('is reported as created if the same is requested', async () => {
    const world = new World()
    world.onPost = () => fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    await world.create(more)
    world.make(a, more)
    expect(await world.create(more)).toMatchObject({ ok: true, value: { deployment: { id: 'a0' } } })
    expect(world.posts).toHaveLength(1)
  })
})

describe('consent to send again', () => {
  it('covers the name of the attempt only', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    world.onPost = () => {
      world.make(a)
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    const other = { ...agent, name: 'other' }
    expect(codeOf(await world.create(other, { attemptId: id, deploymentId: null }))).toBe('attempt-changed')
    expect(world.posts).toHaveLength(1)
    world.reconciler.close()
  })

  it.each(['answered', 'refused', 'lost', 'not sent'])('counts once, if the attempt was %s', async (how) => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    await vi.advanceTimersByTimeAsync(30 * 60_000)
    const answers: Record<string, Answer> = {
      refused: fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 })),
      lost,
      'not sent': notSent,
    }
    world.onPost = () => answers[how] ?? world.answered(201, world.make(a))
    const again = { attemptId: id, deploymentId: null, sentAgain: 0 }
    await world.create(agent, again)
    expect(world.posts).toHaveLength(2)
    world.there.get(a)!.length = 0
    expect((await world.create(agent, again)).ok).toBe(false)
    world.reconciler.close()
    world.start()
    expect((await world.create(agent, again)).ok).toBe(false)
    expect(world.posts).toHaveLength(2)
    if (how === 'refused') {
      await world.create(agent, { ...again, sentAgain: 1 })
      expect(world.posts).toHaveLength(3)
    }
    world.reconciler.close()
  })

  it('covers the service of the attempt only', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    world.known = ['e1', 'e2']
    world.current = 'e2'
    world.leadsTo = { ...world.leadsTo, environmentId: 'e2', baseUrl: b }
    expect(codeOf(await world.create(agent, { attemptId: id, deploymentId: null }))).toBe('attempt-changed')
    expect(world.posts).toHaveLength(1)
    world.reconciler.close()
  })
})

describe('a deployment with more than was sent', () => {
  const log = { name: 'log', image: 'log:1' }
  const withVariable = (value: string): CreateRequest => ({
    ...agent,
    source_config: {
      resource_spec: {
        ...agent.source_config.resource_spec,
        sidecars: [{ ...log, env: [{ name: 'DATABASE', value }] }],
      },
    },
  })
  const specWith = (more: object): object => ({
    resource_spec: { ...agent.source_config.resource_spec, ...more },
  })
  const extras: [string, object][] = [
    ['source_config.install_command', { ...agent.source_config, install_command: 'make other' }],
    ['source_config.build_command', { ...agent.source_config, build_command: 'make other' }],
    ['source_config.resource_spec.sidecars', specWith({ sidecars: [{ name: 'theirs', image: 'theirs:2' }] })],
    ['source_config.resource_spec.init_containers', specWith({ init_containers: [{ name: 'theirs' }] })],
    ['source_config.resource_spec.volumes', specWith({ volumes: [{ name: 'theirs', emptyDir: {} }] })],
  ]

  it.each(extras)("isn't automatically settled as created: %s", async (member, source_config) => {
    const world = new World()
    world.onPost = () => {
      world.make(a, agent, { source_config })
      return lost
    }
    await world.create()
    expect(await world.lookUp((await world.last()).id)).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'more', differences: [member], deployment: { id: 'a0' } },
    })
    world.reconciler.close()
  })

  it.each(extras)('is another one if it is the answer to a creation: %s', async (_member, source_config) => {
    const world = new World()
    world.onPost = () => world.answered(201, world.make(a, agent, { source_config }))
    expect(await world.create()).toMatchObject({
      failure: {
        message: "The service answered 201, but with a deployment that doesn't seem to be the new one.",
      },
    })
    expect(await world.last()).toMatchObject({ state: 'unclear' })
    world.reconciler.close()
  })

  it.each(['postgres://mine', 'postgres://theirs'])(
    "may have other values of variables, which can't be compared later: %s",
    async (value) => {
      const world = new World()
      world.onPost = () => {
        world.make(a, withVariable(value))
        return lost
      }
      await world.create(withVariable('postgres://mine'))
      expect(await world.lookUp((await world.last()).id)).toMatchObject({
        state: 'unclear',
        lookup: { verdict: 'cannot-tell', reason: 'variables', deployment: { id: 'a0' } },
      })
      world.reconciler.close()
    },
  )

  it.each([
    ['postgres://mine', 'created'],
    ['', 'created'],
    ['***', 'created'],
    ['postgres://theirs', 'unclear'],
  ])('is another one if the answer has other values of variables: %j', async (value, state) => {
    const world = new World()
    world.onPost = () => world.answered(201, world.make(a, withVariable(value)))
    await world.create(withVariable('postgres://mine'))
    expect(await world.last()).toMatchObject({ state })
    world.reconciler.close()
  })
})

describe('a slow list', () => {
  const second = 1_000
  /** Every page takes this long, and none is the last one. */
  const slowly = (
    world: World,
    ms: number,
    resources: object[] = [{ ...agent, id: 'o', name: 'agent-2' }],
  ) => {
    world.onList = async ({ query }) => {
      await new Promise((resolve) => setTimeout(resolve, ms))
      const offset = Number(query?.get('offset'))
      const others = [{ ...agent, id: `o${offset}`, name: 'agent-2' }]
      return world.answered(200, { resources: offset === 0 ? resources : others, offset: offset + 1 })
    }
  }
  const endOf = async <T>(work: Promise<T>, afterMs: number): Promise<T | 'goes on'> => {
    let end: T | 'goes on' = 'goes on'
    void work.then((value) => (end = value))
    await vi.advanceTimersByTimeAsync(afterMs)
    return end
  }

  it('locks a name for a minute for each lookup at most, and nothing is sent without a result', async () => {
    const world = new World()
    vi.spyOn(world.journal, 'incompleteReason').mockResolvedValue('gap')
    slowly(world, 14 * second)
    expect(await endOf(world.create(), lookupLimitMs)).toMatchObject({
      failure: { message: `Slipway can't tell whether an earlier attempt created "agent".` },
    })
    expect(world.posts).toEqual([])
    world.onList = () => Promise.resolve(null)
    expect(codeOf(await world.create())).not.toBe('conflict')
    expect(world.posts).toHaveLength(1)
    world.reconciler.close()
  })

  it('proves no absence by a lookup that timed out, however often', async () => {
    const world = new World()
    await world.create()
    slowly(world, 14 * second)
    const { id } = await world.last()
    for (let looks = 0; looks < 3; looks += 1) {
      expect(await endOf(world.lookUp(id), lookupLimitMs)).toMatchObject({
        state: 'unclear',
        lookup: { verdict: 'cannot-tell', reason: 'incomplete', deployment: null },
      })
      await vi.advanceTimersByTimeAsync(hour)
    }
    world.reconciler.close()
  })

  it('has a deployment that a lookup found before it timed out', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    slowly(world, 14 * second, world.there.get(a))
    expect(await endOf(world.lookUp((await world.last()).id), lookupLimitMs)).toMatchObject({
      state: 'created',
    })
  })

  it('gave no answer if no page arrived, even if the request never ends', async () => {
    const world = new World()
    await world.create()
    world.onList = () => new Promise(() => undefined)
    const { id } = await world.last()
    expect(await endOf(world.lookUp(id), lookupLimitMs)).toMatchObject({
      state: 'unclear',
      lookup: null,
      lookFailure: { code: 'timeout', message: "The list couldn't be read within 60 seconds." },
    })
    world.reconciler.close()
  })

  it("is cancelled at once by the caller, which doesn't count as a lookup", async () => {
    const world = new World()
    world.onPost = () => fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    await world.create()
    world.onList = () => new Promise(() => undefined)
    const leaving = new AbortController()
    const creating = world.create(agent, null, leaving.signal)
    await vi.advanceTimersByTimeAsync(second)
    leaving.abort(failure('cancelled', 'The call was cancelled.'))
    expect(codeOf(await creating)).toBe('cancelled')
    expect(world.posts).toHaveLength(1)
    world.reconciler.close()
  })
})

describe('several deployments of one attempt', () => {
  it('count once if a page repeats one', async () => {
    const world = new World()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    world.onList = ({ query }) => {
      const offset = Number(query?.get('offset'))
      const resources = offset < 2 ? world.there.get(a) : []
      return Promise.resolve(world.answered(200, { resources, offset: offset + 1 }))
    }
    expect(await world.lookUp((await world.last()).id)).toMatchObject({
      state: 'created',
      deploymentId: 'a0',
      lookup: { verdict: 'found' },
    })
  })

  /** A creation that a service has carried out this many times, and whose answer was lost. */
  const made = async (count: number, request = agent): Promise<World> => {
    const world = new World()
    world.onPost = () => {
      for (let times = 0; times < count; times += 1) world.make(a, request)
      return lost
    }
    await world.create(request)
    return world
  }

  it.each([
    [2, agent],
    [3, { ...agent, secrets: [{ name: 'KEY', value: 'secret' }] }],
    [7, agent],
  ])('are counted, and five of them named: %i', async (count, request) => {
    const world = await made(count, request)
    const others = ['a1', 'a2', 'a3', 'a4'].slice(0, count - 1).map((id) => ({ id, status: 'READY' }))
    const { lookup, state } = await world.lookUp((await world.last()).id)
    expect(state).toBe('unclear')
    expect(lookup).toMatchObject({
      verdict: 'cannot-tell',
      reason: 'repeated',
      fitting: count,
      deployment: { id: 'a0' },
      others,
    })
    expect(lookup?.others).toHaveLength(Math.min(count, 5) - 1)
    world.reconciler.close()
  })

  it.each(['a0', 'a1', 'a2'])('may each be claimed by the operator: %s', async (id) => {
    const world = await made(3)
    const attempt = await world.lookUp((await world.last()).id)
    expect(await world.reconciler.claim('e1', attempt.id, id, never)).toMatchObject({
      value: { state: 'created', deploymentId: id, lookup: { fitting: 3, deployment: { id } } },
    })
    // The note about the others stays.
    const [{ lookup } = attempt] = await world.attempts()
    expect(lookup?.others?.map((one) => one.id)).toEqual(['a0', 'a1', 'a2'].filter((other) => other !== id))
    world.reconciler.close()
  })

  it("can't be claimed beyond those that were named", async () => {
    const world = await made(7)
    const { id } = await world.lookUp((await world.last()).id)
    expect(codeOf(await world.reconciler.claim('e1', id, 'a5', never))).toBe('conflict')
    expect(codeOf(await world.reconciler.claim('e1', id, 'a4', never))).toBe('ok')
    world.reconciler.close()
  })

  it('are also reported as several if there are several attempts, each of which gets its own', async () => {
    const world = await made(1)
    const first = await world.last()
    world.onList = () => Promise.resolve(fail(failure('timeout', 'Late.', { sent: 'maybe' })))
    await world.create(agent, { attemptId: first.id, deploymentId: null })
    world.onList = () => Promise.resolve(null)
    const second = await world.last()
    expect(second.id).not.toBe(first.id)
    for (const { id } of [first, second])
      expect(await world.lookUp(id)).toMatchObject({
        lookup: { reason: 'several', fitting: 2, deployment: { id: 'a0' }, others: [{ id: 'a1' }] },
      })
    expect(codeOf(await world.reconciler.claim('e1', first.id, 'a1', never))).toBe('ok')
    expect(codeOf(await world.reconciler.claim('e1', second.id, 'a1', never))).toBe('conflict')
    expect(await world.lookUp(second.id)).toMatchObject({ state: 'created', deploymentId: 'a0' })
    world.reconciler.close()
  })

  it('revoke the consent to send again that was given for one of them', async () => {
    const request = { ...agent, secrets: [{ name: 'KEY', value: 'secret' }] }
    const world = await made(1, request)
    const { id } = await world.lookUp((await world.last()).id)
    world.make(a, request)
    const consent = { attemptId: id, deploymentId: 'a0' }
    expect(codeOf(await world.create(request, consent))).toBe('attempt-changed')
    expect(world.posts).toHaveLength(1)
    expect(await world.last()).toMatchObject({ id, lookup: { fitting: 2 } })
    // The journal knows of it by then.
    await world.create(request, consent)
    expect(world.posts).toHaveLength(2)
    world.reconciler.close()
  })

  it('are shown before one that has more than was sent', async () => {
    const world = new World()
    const secret = { ...agent, secrets: [{ name: 'KEY', value: 'secret' }] }
    world.onPost = () => {
      const { source_config } = agent
      world.make(a, secret, { source_config: { ...source_config, install_command: 'make other' } })
      world.make(a, secret)
      world.make(a, secret)
      return lost
    }
    await world.create(secret)
    expect(await world.lookUp((await world.last()).id)).toMatchObject({
      lookup: { fitting: 2, differences: [], deployment: { id: 'a1' }, others: [{ id: 'a2' }] },
    })
    world.reconciler.close()
  })
})

describe("the service's clock in its answers", () => {
  const refused = fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
  const carriedOut = (world: World) => () => {
    world.make(a)
    return refused
  }
  const ahead = (world: World): string => new Date(world.time + 600_000).toUTCString()

  it('proves nothing if another machine answers the lookup, or it was set meanwhile', async () => {
    const world = new World()
    world.date = ahead(world)
    await world.page()
    world.date = null
    world.onPost = carriedOut(world)
    await world.create()
    expect(await world.last()).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'no-time' },
    })
    world.reconciler.close()
  })

  it("isn't taken from answers through another proxy, or to a draft", async () => {
    const world = new World()
    const proxied = behind('elsewhere')
    const other = new World()
    other.date = ahead(world)
    for (const target of [
      { environmentId: 'e1', baseUrl: a, headers: {}, network: proxied },
      { environmentId: null, baseUrl: a, headers: {} },
    ]) {
      world.hear(target, other.answered(200, { resources: [], offset: 0 }))
    }
    world.onPost = carriedOut(world)
    expect(await world.create()).toMatchObject({ ok: true, value: { deployment: { id: 'a0' } } })
  })
})

describe('another service at the same base URL, behind another proxy, that assigns the same identifiers', () => {
  /** One has created `a0` there. Here another one has it. */
  const begin = async () => {
    const world = new World()
    world.leadsTo = { ...world.leadsTo, network: behind('there') }
    world.onPost = () => world.answered(201, world.make(a))
    expect(codeOf(await world.create())).toBe('ok')
    world.there.set(a, [])
    world.leadsTo = { ...world.leadsTo, network: behind('here') }
    return world
  }

  it.each([409, 422])('hides nothing from a lookup after a refusal: %i', async (status) => {
    const world = await begin()
    world.onPost = () => {
      world.make(a)
      return fail(failure('bad-request', 'No.', { sent: 'answered', status }))
    }
    await world.create()
    expect(await world.last()).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'several', deployment: { id: 'a0' } },
    })
    world.reconciler.close()
  })

  it('never gives an attempt of another environment what blocks its name', async () => {
    const world = await begin()
    world.onPost = () => lost
    await world.create()
    const { id } = await world.last()
    world.leadsTo = { ...world.leadsTo, environmentId: 'e2', network: behind('there') }
    world.current = 'e2'
    world.known = ['e1', 'e2']
    world.make(a, { ...agent, secrets: [] })
    await world.reconciler.lookUp('e2', id, never)
    expect(await world.last()).toMatchObject({
      environmentId: 'e1',
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'credentials', deployment: null },
    })
    world.reconciler.close()
  })

  it('is no reason to doubt an honest answer to a creation of another name', async () => {
    const world = await begin()
    const other = { ...agent, name: 'other' }
    world.onPost = () => world.answered(201, world.make(a, other))
    expect(await world.create(other)).toMatchObject({ ok: true, value: { deployment: { id: 'a0' } } })
  })

  it("doesn't prevent a claim", async () => {
    const world = await begin()
    world.onPost = () => {
      world.make(a)
      return lost
    }
    await world.create()
    const { id } = await world.last()
    await world.lookUp(id)
    expect(await world.reconciler.claim('e1', id, 'a0', never)).toMatchObject({
      ok: true,
      value: { state: 'created', deploymentId: 'a0' },
    })
  })
})

describe('a creation that waits for its connection', () => {
  /** Connects for a while, during which something happens, and carries out what leaves. */
  const connecting = async (happens: (world: World, cancelling: AbortController) => void) => {
    const world = new World()
    const cancelling = new AbortController()
    let left = false
    world.onPost = async ({ mayLeave }) => {
      happens(world, cancelling)
      left = (await mayLeave?.()) ?? true
      return left
        ? world.answered(201, world.make(a))
        : fail(failure('cancelled', 'It was held back.', { sent: 'no' }))
    }
    const outcome = await world.create(agent, null, cancelling.signal)
    world.reconciler.close()
    return { left, outcome, state: (await world.last()).state }
  }

  it('leaves if nothing has changed', async () => {
    expect(await connecting(() => undefined)).toMatchObject({
      left: true,
      outcome: { ok: true },
      state: 'created',
    })
  })

  it.each<[string, (world: World) => void]>([
    ['has another key', (world) => (world.leadsTo = { ...world.leadsTo, headers: { 'X-Api-Key': 'new' } })],
    ['leads elsewhere', (world) => (world.leadsTo = { ...world.leadsTo, baseUrl: b })],
    ['is removed', (world) => (world.notReady = failure('not-found', 'It is gone.'))],
  ])("doesn't leave once its environment %s", async (_what, edit) => {
    expect(await connecting(edit)).toMatchObject({
      left: false,
      outcome: { ok: false, failure: { sent: 'no' } },
      state: 'refused',
    })
  })

  it("doesn't leave once it is cancelled", async () => {
    const cancelled = failure('cancelled', 'The call was cancelled.')
    expect(await connecting((_world, cancelling) => cancelling.abort(cancelled))).toMatchObject({
      left: false,
      outcome: { ok: false, failure: { code: 'cancelled' } },
      state: 'refused',
    })
  })
})

it.each([
  ['west', -5],
  ['east', 5.5],
])(
  'a creation is created with 201 by a service that writes its local time as UTC, %s',
  async (_where, hours) => {
    const world = new World()
    await world.page()
    world.onPost = () => {
      const created_at = new Date(world.time + hours * hour).toISOString()
      return world.answered(201, world.make(a, agent, { created_at }))
    }
    expect(await world.create()).toMatchObject({ ok: true, value: { deployment: { id: 'a0' } } })
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
    world.reconciler.close()
  },
)

describe('a creation that was refused and carried out', () => {
  it("isn't reported as refused if the list wasn't read completely", async () => {
    const world = new World()
    const others = ['agent-2', 'agent-3', 'agent-4'].map((name) => world.make(a, { ...agent, name }))
    // Something on the way drops the query, whatever page is requested.
    world.onList = () => Promise.resolve(world.answered(200, { resources: others.slice(0, 2), offset: 0 }))
    world.onPost = () => {
      world.make(a)
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    expect(codeOf(await world.create())).toBe('bad-request')
    expect(await world.last()).toMatchObject({ state: 'unclear', lookup: { reason: 'incomplete' } })
    world.onList = () => Promise.resolve(null)
    expect(await world.lookUp((await world.last()).id)).toMatchObject({ state: 'created' })
    world.reconciler.close()
  })

  it("isn't reported as refused by a service that writes its local time as UTC", async () => {
    const world = new World()
    await world.page()
    world.onPost = () => {
      world.make(a, agent, { created_at: new Date(world.time - 5 * hour).toISOString() })
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    await world.create()
    expect(await world.last()).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'different', differences: ['created_at'] },
    })
    world.reconciler.close()
  })

  it.each([
    ['adds a secret of its own', { secrets: [{ name: 'TRACING_API_KEY' }] }],
    ['rounds resources', { source_config: { resource_spec: { min_scale: 1, max_scale: 2, cpu: 2 } } }],
    ['leaves a member out', { source_revision_config: {} }],
  ])("isn't reported as refused by one that does so and %s", async (_what, changed) => {
    const world = new World()
    await world.page()
    world.onPost = () => {
      world.make(a, agent, { ...changed, created_at: new Date(world.time - 5 * hour).toISOString() })
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    await world.create()
    expect(await world.last()).toMatchObject({ state: 'unclear', lookup: { verdict: 'different' } })
    world.reconciler.close()
  })

  it("isn't reported as refused if the deployment with its name is later, whatever differs", async () => {
    const world = new World()
    await world.page()
    world.onPost = () => {
      const changed = { source_revision_config: { image_uri: 'registry/agent:1' } }
      world.make(a, agent, { ...changed, created_at: new Date(world.time + 5 * hour).toISOString() })
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    await world.create()
    expect((await world.last()).state).toBe('unclear')
    world.reconciler.close()
  })

  it.each([
    ['shows no clock', null],
    ['shows one that is more than a day off', 25 * hour],
  ])("isn't reported as refused if the later answer %s", async (_what, offMs) => {
    const world = new World()
    // One machine of the service, with a wrong clock, answers the list.
    world.date = new Date(world.time + 20 * hour).toUTCString()
    await world.page()
    world.isShown = offMs !== null
    world.onPost = () => {
      if (offMs !== null) world.date = new Date(world.time + offMs).toUTCString()
      world.make(a)
      return fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    }
    await world.create()
    expect((await world.last()).state).not.toBe('refused')
    world.reconciler.close()
  })

  describe('behind a filter that does not find it', () => {
    const refusal = failure('bad-request', 'No.', { sent: 'answered', status: 422 })
    const named = { ...refusal, issues: [{ path: ['source_config', 'repo_url'], message: 'No.' }] }

    /** A service whose filter finds nothing, and how many pages of its list were read without it. */
    async function create(refusedWith: Failure, others: number) {
      const world = new World()
      for (let index = 0; index < others; index += 1) world.make(a, { ...agent, name: `other-${index}` })
      let unfiltered = 0
      world.onList = ({ query }) => {
        if (query?.has('name_contains'))
          return Promise.resolve(world.answered(200, { resources: [], offset: 0 }))
        unfiltered += 1
        return Promise.resolve(null)
      }
      world.onPost = () => {
        world.make(a)
        return fail(refusedWith)
      }
      await world.create()
      world.reconciler.close()
      return { state: (await world.last()).state, unfiltered }
    }

    it('is found without it', async () => {
      expect(await create(refusal, 250)).toMatchObject({ state: 'created' })
    })

    it('is looked up without it after some refusals only', async () => {
      expect(await create(named, 0)).toEqual({ state: 'refused', unfiltered: 0 })
      const limited = failure('rate-limited', 'No.', { sent: 'answered', status: 429 })
      expect(await create(limited, 0)).toMatchObject({ unfiltered: 0 })
    })

    it.each([
      ['fails', failure('service-error', 'No.', { sent: 'answered', status: 503 })],
      ['breaks off', failure('connection-lost', 'Lost.', { sent: 'maybe' })],
    ])('is unconfirmed if the list without it %s, and found later', async (_what, reason) => {
      const world = new World()
      let isAnswered = false
      world.onList = ({ query }) => {
        if (query?.has('name_contains'))
          return Promise.resolve(world.answered(200, { resources: [], offset: 0 }))
        return Promise.resolve(isAnswered ? null : fail(reason))
      }
      world.onPost = () => {
        world.make(a)
        return fail(refusal)
      }
      await world.create()
      const { id, environmentId, state } = await world.last()
      expect(state).toBe('unclear')
      isAnswered = true
      await world.reconciler.lookUp(environmentId, id, new AbortController().signal)
      expect((await world.last()).state).toBe('created')
      world.reconciler.close()
    })

    it.each<[string, string, (world: World) => Answer]>([
      [
        'the list without it',
        '',
        () => fail(failure('service-error', 'No.', { sent: 'answered', status: 503 })),
      ],
      // The page says that there are more, and the next one doesn't begin where it ends.
      [
        'the filtered list',
        'agent',
        (world) => world.answered(200, { resources: [{ ...agent, id: 'x', name: 'agent-x' }], offset: 7 }),
      ],
    ])('is not sent again without consent if %s gives no complete answer', async (_what, filter, answer) => {
      const world = new World()
      let isWhole = true
      world.onList = ({ query }) => {
        const contains = query?.get('name_contains') ?? ''
        if (!isWhole && contains === filter) return Promise.resolve(answer(world))
        return Promise.resolve(contains ? world.answered(200, { resources: [], offset: 0 }) : null)
      }
      world.onPost = () => fail(refusal)
      await world.create()
      expect((await world.last()).state).toBe('refused')
      // The first copy is carried out late.
      world.make(a)
      isWhole = false
      expect(codeOf(await world.create())).toBe('attempt-unclear')
      expect(world.posts).toHaveLength(1)
      expect(await world.last()).toMatchObject({ state: 'unclear', lookup: { reason: 'incomplete' } })
      isWhole = true
      expect(await world.lookUp((await world.last()).id)).toMatchObject({ state: 'created' })
      world.reconciler.close()
    })

    it.each<[string, Failure['code']]>([
      ['a cancellation', 'cancelled'],
      ['an edit', 'environment-changed'],
    ])('stays refused, and unsent, if %s ends the lookup without it', async (_what, code) => {
      const world = new World()
      const cancelling = new AbortController()
      let isEnding = false
      world.onList = ({ query }) => {
        if (query?.has('name_contains') || !isEnding) return Promise.resolve(null)
        if (code === 'cancelled') cancelling.abort(failure(code, 'Cancelled.'))
        return Promise.resolve(fail(failure(code, 'Ended.')))
      }
      world.onPost = () => fail(refusal)
      await world.create()
      isEnding = true
      expect(codeOf(await world.create(agent, null, cancelling.signal))).toBe(code)
      expect(world.posts).toHaveLength(1)
      expect(await world.attempts()).toMatchObject([{ state: 'refused' }])
      world.reconciler.close()
    })

    it.each([
      ['loses ten entries between its pages', 0],
      ['stops after its first page', lookupLimitMs],
    ])('is unconfirmed if the list without it %s, and found later', async (_what, stopsMs) => {
      const world = new World()
      for (let index = 0; index < 150; index += 1) world.make(a, { ...agent, name: `other-${index}` })
      let isRead = false
      world.onList = ({ query }) => {
        if (query?.has('name_contains'))
          return Promise.resolve(world.answered(200, { resources: [], offset: 0 }))
        if (isRead) return Promise.resolve(null)
        const list = world.there.get(a)!
        if (query?.get('offset') === '0') {
          // It is on none of the pages that are read.
          list.splice(Number(query.get('limit')) + 2, 0, list.pop()!)
          return Promise.resolve(null)
        }
        isRead = true
        if (stopsMs > 0) return new Promise(() => undefined)
        list.splice(0, 10)
        return Promise.resolve(null)
      }
      world.onPost = () => {
        world.make(a)
        return fail(refusal)
      }
      const created = world.create()
      await vi.advanceTimersByTimeAsync(stopsMs)
      await created
      const { id } = await world.last()
      expect(await world.last()).toMatchObject({ state: 'unclear', lookup: { reason: 'incomplete' } })
      expect(await world.lookUp(id)).toMatchObject({ state: 'created' })
      world.reconciler.close()
    })

    it('is not looked up without a limit', async () => {
      expect(await create(refusal, 2_000)).toEqual({ state: 'refused', unfiltered: 10 })
    })
  })

  it('is looked up with a different request than before it was sent', async () => {
    const world = new World()
    const requests: string[] = []
    world.onList = ({ query }) => {
      requests.push(String(query))
      return Promise.resolve(null)
    }
    world.onPost = () => fail(failure('bad-request', 'No.', { sent: 'answered', status: 422 }))
    await world.create()
    await world.create()
    expect(requests.length).toBeGreaterThan(2)
    expect(new Set(requests).size).toBe(requests.length)
    world.reconciler.close()
  })
})
