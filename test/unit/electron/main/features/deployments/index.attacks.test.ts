import {
  type CallInput,
  type CreateRequest,
  type CreationEntry,
  fail,
  failure,
  type Failure,
  isCreatedLater,
  type Lookup,
  type Outcome,
  succeed,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { createDeployments } from '../../../../../../electron/main/features/deployments'
import { createReconciler } from '../../../../../../electron/main/features/deployments/reconcile'
import { lookupLimitMs } from '../../../../../../electron/main/features/deployments/list/find-by-name'
import { createServiceClocks } from '../../../../../../electron/main/features/deployments/attempts/service-clocks'
import type { Environments } from '../../../../../../electron/main/environments/model/types'
import { request as throughClient } from '../../../../../../electron/main/http/client'
import type { HttpAnswer, HttpRequest, HttpTarget } from '../../../../../../electron/main/http/types'
import { createJournal } from '../../../../../../electron/main/stored/journal'
import { locked } from '../../../../../../electron/main/processes/keychain/failures'
import { stateIn } from '../../../../../support/main/state'
import { temporaryFolder } from '../../../../../support/temporary-folder'
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
  readonly #folder = temporaryFolder()
  isDiskFull = false
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
    this.journal = createJournal({
      state: stateIn(this.#folder, {
        keyFor: async () => (this.key === null ? fail(locked()) : succeed(this.key)),
        refuses: (op) => this.isDiskFull && op === 'write',
      }),
      changed: () => undefined,
      report,
      notice: () => undefined,
      readLate: () => this.reconciler.noteJournal(),
      sentTo: () => undefined,
    })
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
    world.isDiskFull = true
    expect(await claim()).toMatchObject({
      failure: {
        code: 'internal',
        message: "The journal couldn't be written, so the attempt is still unconfirmed.",
        retryable: true,
      },
    })
    expect(world.report).toHaveBeenCalledOnce()
    expect(await world.last()).toMatchObject({ state: 'unclear', deploymentId: null })
    world.isDiskFull = false
    expect(await claim()).toMatchObject({ ok: true, value: { state: 'created', deploymentId: 'a0' } })
    world.reconciler.close()
    world.start()
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
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
})
