import {
  type CallInput,
  cancelledFailure,
  type CreateRequest,
  type CreationEntry,
  fail,
  failure,
  type Failure,
  type Outcome,
  succeed,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCreation } from '../../../../../../electron/main/features/deployments/creation'
import {
  createReconciler,
  lookupWaitsMs,
} from '../../../../../../electron/main/features/deployments/reconciler'
import { lookupLimitMs } from '../../../../../../electron/main/features/deployments/list'
import type { Environments } from '../../../../../../electron/main/environments'
import type { HttpAnswer, HttpRequest, HttpTarget } from '../../../../../../electron/main/http/client'
import { locked } from '../../../../../../electron/main/processes/keychain'
import { createJournal } from '../../../../../../electron/main/stored/journal'
import { jsonBody, pageOf } from '../../../../../support/builders/answer-bodies'
import { stateIn, stateKey, withoutDrafts } from '../../../../../support/main/state'
import { temporaryFolder } from '../../../../../support/temporary-folder'

type Consent = NonNullable<CallInput<'deployments.create'>['again']>
type Answer = Outcome<HttpAnswer>

const a = 'https://a.example'
const b = 'https://b.example'
const never = new AbortController().signal

const agent: CreateRequest = {
  name: 'agent',
  source: 'internal_docker',
  source_config: { resource_spec: { min_scale: 1 } },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [{ name: 'KEY', value: 'hunter2' }],
}

const lost = fail(failure('connection-lost', 'It was lost.', { sent: 'maybe' }))

/** The application's own parts, environments that can be edited, and a service at each address. */
class World {
  readonly there = new Map<string, { id: string; name: string }[]>([
    [a, []],
    [b, []],
  ])
  posts = 0
  lists = 0
  /** Happens once there is a connection, before the request leaves. */
  onConnection: () => unknown = () => undefined
  /** The answer to a creation. */
  onPost: () => Answer = () => lost
  onList: (signal?: AbortSignal) => Promise<Answer | null> = () => Promise.resolve(null)
  report: (error: unknown) => void = (error) => expect.unreachable(String(error))
  readonly targets = new Map<string, HttpTarget>([['e1', { environmentId: 'e1', baseUrl: a, headers: {} }]])
  current = 'e1'
  /** Whether the keychain gives the journal's key. */
  hasKey = true
  isDiskFull = false
  readonly #folder = temporaryFolder()
  journal!: ReturnType<typeof createJournal>
  reconciler!: ReturnType<typeof createReconciler>
  send!: ReturnType<typeof createCreation>

  constructor() {
    this.start()
  }

  /** Starts the application, again after it was killed. */
  start(): void {
    const report = (error: unknown): void => this.report(error)
    this.journal = createJournal({
      state: stateIn(this.#folder, {
        keyFor: async () => (this.hasKey ? succeed(stateKey) : fail(locked())),
        refuses: (op) => this.isDiskFull && op === 'write',
      }),
      changed: () => undefined,
      report,
      notice: () => undefined,
      readLate: () => this.reconciler.noteJournal(),
      sentTo: () => undefined,
    })
    const of = (id: string) => {
      const target = this.targets.get(id)
      return target && { id, name: id, mode: 'cloud', protected: false, readOnly: false, target }
    }
    const environments = {
      state: () => ({
        environments: [...this.targets.keys()].map((id) => ({ id })),
        currentEnvironmentId: this.current,
      }),
      destination: (id: string) => of(id) ?? null,
      ready: async (id: string) => succeed(structuredClone(of(id))),
    } as unknown as Environments
    const parts = { environments, http: { request: this.#receive }, journal: this.journal, report }
    this.reconciler = createReconciler(parts)
    this.send = createCreation({
      ...parts,
      reconciler: this.reconciler,
      drafts: withoutDrafts,
    })
  }

  readonly #receive = async (request: HttpRequest): Promise<Answer> => {
    const { method, target, query, signal } = request
    if (method === 'POST') {
      await this.onConnection()
      if (signal?.aborted) return fail(cancelledFailure)
      this.posts += 1
      return this.onPost()
    }
    this.lists += 1
    const answer = await this.onList(signal)
    if (answer) return answer
    const named = query?.get('name_contains') ?? ''
    const all = this.there.get(target.baseUrl)!.filter(({ name }) => name.includes(named))
    return this.answered(200, pageOf(all, query))
  }

  answered(status: number, body: object): Answer {
    return succeed({ status, body: jsonBody(body) })
  }

  /** Creates a deployment at a service. */
  make(at = a, request = agent, more: object = {}): { id: string; name: string } {
    const list = this.there.get(at)!
    const created_at = new Date().toISOString()
    const made = { ...request, id: `${at.slice(8, 9)}${list.length}`, created_at, status: 'READY', ...more }
    list.push(made)
    return made
  }

  create(request = agent, again: Consent | null = null, signal = never) {
    return this.send({ environmentId: this.current, request, confirmedName: null, again }, signal)
  }

  lookUp = (id: string) => this.reconciler.lookUp({ environmentId: this.current, attemptId: id }, never)
  attempts = () => this.journal.creations()

  async last() {
    return (await this.attempts()).at(-1)!
  }
}

const codeOf = (outcome: Outcome<unknown>): string => (outcome.ok ? 'ok' : outcome.failure.code)

/** The operator's consent to send the name of an attempt again, as it is shown to them. */
const consentTo = ({ id, lookup, sentAgain }: CreationEntry): Consent => ({
  attemptId: id,
  deploymentId: lookup?.deployment?.id ?? null,
  sentAgain,
})

/** A world in which a creation was lost after the service carried it out, this many times. */
async function madeAndLost(count = 1, more: object = {}): Promise<World> {
  const world = new World()
  world.onPost = () => {
    for (let made = 0; made < count; made += 1) world.make(a, agent, more)
    return lost
  }
  await world.create()
  return world
}

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('how a creation ended', () => {
  it.each<[Partial<Failure>, string]>([
    ...[400, 401, 403, 404, 405, 410, 413, 415, 418, 422, 431].map((status): [Partial<Failure>, string] => [
      { sent: 'answered', status },
      'refused',
    ]),
    [{ sent: 'no' }, 'refused'],
    ...[200, 201, 302, 303, 408, 409, 429, 500, 502, 503].map((status): [Partial<Failure>, string] => [
      { sent: 'answered', status },
      'unconfirmed',
    ]),
    [{ sent: 'maybe' }, 'unconfirmed'],
  ])('is decided by the failure alone: %j is %s', async (more, state) => {
    const world = new World()
    const reason = failure('internal', 'It failed.', more)
    world.onPost = () => fail(reason)
    const outcome = await world.create()
    expect(outcome).toMatchObject({ ok: false, failure: { message: 'It failed.', ...more } })
    expect(await world.last()).toMatchObject({ state, deploymentId: null })
    expect(world.posts).toBe(1)
    // A refusal is reported as it is; the rest says that it is unconfirmed, and is sent once only with consent.
    if (state === 'refused') expect(outcome).toEqual(fail(reason))
    else expect(codeOf(await world.create())).toBe('attempt-unconfirmed')
    world.reconciler.close()
  })

  it('is unconfirmed after an error of Slipway itself', async () => {
    const world = new World()
    world.report = vi.fn()
    world.onPost = () => {
      throw new Error('A defect.')
    }
    expect(await world.create()).toMatchObject({ failure: { code: 'internal', sent: 'maybe' } })
    expect(await world.last()).toMatchObject({ state: 'unconfirmed' })
    expect(world.report).toHaveBeenCalledOnce()
    world.reconciler.close()
  })

  it('keeps no secret in the journal', async () => {
    const world = await madeAndLost()
    expect(await world.last()).toMatchObject({ sent: { secrets: ['KEY'] } })
    expect(JSON.stringify(await world.attempts())).not.toContain('hunter2')
    world.reconciler.close()
  })

  it('is created if the service answers, even if the journal cannot be written any more', async () => {
    const world = new World()
    world.report = vi.fn()
    world.onPost = () => {
      world.isDiskFull = true
      return world.answered(201, world.make())
    }
    expect(await world.create()).toMatchObject({ ok: true, value: { deployment: { id: 'a0' } } })
    world.isDiskFull = false
    expect(await world.last()).toMatchObject({ state: 'created', deploymentId: 'a0' })
  })

  it('is unconfirmed if Slipway was killed before the answer', async () => {
    const world = new World()
    let answer = (): void => undefined
    world.onConnection = () => {
      // Nothing answers in the life of the process.
      vi.spyOn(world.journal, 'endCreation').mockImplementation(() => new Promise(() => undefined))
      answer()
    }
    const begun = new Promise<void>((resolve) => (answer = resolve))
    void world.create()
    await begun
    world.start()
    expect(await world.attempts()).toMatchObject([{ state: 'unconfirmed', failure: { sent: 'maybe' } }])
    expect(codeOf(await world.create())).toBe('attempt-unconfirmed')
  })
})

describe('a creation that waits for its connection', () => {
  it.each<[string, (world: World, cancelling: AbortController) => void]>([
    ['it is cancelled', (_world, cancelling) => cancelling.abort(cancelledFailure)],
    ['Slipway quits', (world) => world.reconciler.close()],
  ])("doesn't leave if %s", async (_what, happens) => {
    const world = new World()
    const cancelling = new AbortController()
    world.onConnection = () => happens(world, cancelling)
    const outcome = await world.create(agent, null, cancelling.signal)
    expect(outcome).toMatchObject({ failure: { code: 'cancelled', sent: 'no' } })
    expect(world.posts).toBe(0)
    expect(await world.last()).toMatchObject({ state: 'refused' })
  })
})

describe('consent to send a name again', () => {
  it('is needed while an attempt at the name is unconfirmed, here or where it was sent', async () => {
    const world = await madeAndLost()
    expect(codeOf(await world.create())).toBe('attempt-unconfirmed')
    // Another environment of the same service.
    world.targets.set('e2', { environmentId: 'e2', baseUrl: a, headers: { 'X-Api-Key': 'another' } })
    world.current = 'e2'
    expect(await world.create()).toMatchObject({
      failure: { code: 'attempt-unconfirmed', attemptId: (await world.last()).id },
    })
    // Its own environment after an edit, which leads elsewhere.
    world.current = 'e1'
    world.targets.set('e1', { environmentId: 'e1', baseUrl: b, headers: {} })
    world.targets.delete('e2')
    expect(codeOf(await world.create())).toBe('attempt-unconfirmed')
    expect(codeOf(await world.create({ ...agent, name: 'other' }))).toBe('connection-lost')
    expect(world.posts).toBe(2)
    world.reconciler.close()
  })

  it('names the attempt, its number and what was shown, and counts once', async () => {
    const world = new World()
    await world.create()
    const attempt = await world.last()
    const consent = consentTo(attempt)
    for (const [wrong, code] of [
      [{ ...consent, attemptId: 'another' }, 'attempt-unconfirmed'],
      [{ ...consent, sentAgain: 1 }, 'attempt-changed'],
      [{ ...consent, deploymentId: 'd9' }, 'attempt-changed'],
    ] as const)
      expect(codeOf(await world.create(agent, wrong))).toBe(code)
    // A draft that was renamed since.
    expect(codeOf(await world.create({ ...agent, name: 'renamed' }, consent))).toBe('attempt-changed')
    expect(world.posts).toBe(1)
    expect(codeOf(await world.create(agent, consent))).toBe('connection-lost')
    expect(codeOf(await world.create(agent, consent))).not.toBe('connection-lost')
    expect(world.posts).toBe(2)
    world.reconciler.close()
  })

  it('counts once in two windows at the same time, and after a restart', async () => {
    const world = new World()
    await world.create()
    const consent = consentTo(await world.last())
    const outcomes = await Promise.all([world.create(agent, consent), world.create(agent, consent)])
    expect(outcomes.map(codeOf).sort()).toEqual(['conflict', 'connection-lost'])
    world.start()
    expect(codeOf(await world.create(agent, consent))).toBe('attempt-unconfirmed')
    expect(world.posts).toBe(2)
    world.reconciler.close()
  })

  it('is outdated if the lookup before sending finds something', async () => {
    const world = new World()
    await world.create()
    const consent = consentTo(await world.last())
    world.make(a, agent, { source: 'internal_source' })
    expect(codeOf(await world.create(agent, consent))).toBe('attempt-changed')
    const seen = await world.last()
    expect(seen).toMatchObject({ state: 'unconfirmed', lookup: { verdict: 'different' } })
    expect(codeOf(await world.create(agent, consentTo(seen)))).toBe('connection-lost')
    expect(world.posts).toBe(2)
    world.reconciler.close()
  })

  it('counts although the service gives no answer to the lookup', async () => {
    const world = new World()
    await world.create()
    world.onList = () => Promise.resolve(fail(failure('timeout', 'Late.', { sent: 'maybe' })))
    world.onPost = () => world.answered(201, world.make())
    expect(codeOf(await world.create(agent, consentTo(await world.last())))).toBe('ok')
    expect(await world.attempts()).toMatchObject([
      { state: 'unconfirmed', sentAgain: 1, lookFailure: { code: 'timeout' } },
      { state: 'created' },
    ])
    world.reconciler.close()
  })

  it('asks the service for the name while the journal cannot be read whole', async () => {
    const world = new World()
    vi.spyOn(world.journal, 'isIncomplete').mockResolvedValue(true)
    world.make()
    expect(await world.create()).toMatchObject({
      failure: { code: 'conflict', message: '"agent" already exists, perhaps from an earlier attempt.' },
    })
    world.make(a, { ...agent, name: 'other' })
    expect(await world.create({ ...agent, name: 'OTHER' })).toMatchObject({
      failure: { message: `Slipway can't tell whether an earlier attempt created "OTHER".` },
    })
    expect(world.posts).toBe(0)
  })
})

describe('an unconfirmed attempt', () => {
  it('is looked up again and again until the list has it, and nothing is sent', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    for (const waitMs of lookupWaitsMs.slice(0, -1)) {
      const before = world.lists
      await vi.advanceTimersByTimeAsync(waitMs)
      expect(world.lists).toBe(before + 1)
      expect(await world.last()).toMatchObject({ state: 'unconfirmed', lookup: { verdict: 'not-found' } })
    }
    world.make()
    await vi.advanceTimersByTimeAsync(lookupWaitsMs.at(-1)!)
    expect(await world.last()).toMatchObject({ id, state: 'created', deploymentId: 'a0', sent: null })
    const { lists } = world
    await vi.advanceTimersByTimeAsync(24 * 3_600_000)
    expect([world.lists, world.posts]).toEqual([lists, 1])
  })

  it('is looked up when the service is back, and only in the current environment', async () => {
    const world = await madeAndLost()
    world.onList = () => Promise.resolve(fail(failure('offline', 'Down.', { sent: 'no' })))
    await vi.advanceTimersByTimeAsync(200_000)
    expect(await world.last()).toMatchObject({ state: 'unconfirmed', lookFailure: { code: 'offline' } })
    world.onList = () => Promise.resolve(null)
    const connection = { environmentId: 'e1', at: null, reason: null, servedMs: null }
    world.reconciler.noteConnection({ ...connection, state: 'offline' } as never)
    world.current = 'e2'
    world.targets.set('e2', { environmentId: 'e2', baseUrl: b, headers: {} })
    world.reconciler.noteEnvironment()
    const { lists } = world
    await vi.advanceTimersByTimeAsync(200_000)
    expect(world.lists).toBe(lists)
    world.current = 'e1'
    world.reconciler.noteEnvironment()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await world.last()).toMatchObject({ state: 'created', lookFailure: null })
  })

  it('says nothing at another service, and is adopted by an environment that leads to its own', async () => {
    const world = await madeAndLost()
    const { id } = await world.last()
    world.targets.set('e1', { environmentId: 'e1', baseUrl: b, headers: {} })
    expect(await world.lookUp(id)).toMatchObject({
      value: { state: 'unconfirmed', lookFailure: { code: 'other-service' } },
    })
    world.targets.set('e2', { environmentId: 'e2', baseUrl: a, headers: { 'X-Api-Key': 'renewed' } })
    world.current = 'e2'
    world.reconciler.noteEnvironment()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await world.last()).toMatchObject({ environmentId: 'e2' })
    expect(await world.last()).toMatchObject({ state: 'created' })
  })

  it('keeps its deployment from later attempts at the name, and may share none with a rival', async () => {
    const world = new World()
    await world.create()
    await world.create(agent, consentTo(await world.last()))
    world.make()
    for (const { id } of await world.attempts())
      expect(await world.lookUp(id)).toMatchObject({
        value: { state: 'unconfirmed', lookup: { reason: 'several' } },
      })
    const [first, second] = await world.attempts()
    await world.reconciler.claim({ environmentId: 'e1', attemptId: second!.id, deploymentId: 'a0' }, never)
    expect(await world.lookUp(first!.id)).toMatchObject({
      value: { state: 'unconfirmed', lookup: { verdict: 'not-found' } },
    })
    world.reconciler.close()
  })

  it('gives up a list that does not end in time', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    world.onList = (signal) =>
      new Promise((resolve) =>
        signal?.addEventListener('abort', () => resolve(fail(failure('cancelled', 'Given up.')))),
      )
    const looking = world.lookUp(id)
    await vi.advanceTimersByTimeAsync(lookupLimitMs)
    expect(await looking).toMatchObject({ value: { lookup: null, lookFailure: { code: 'timeout' } } })
    world.reconciler.close()
  })
})

describe("the operator's word", () => {
  it.each(['a0', 'a1', 'a2'])('settles an attempt with any deployment that was found: %s', async (chosen) => {
    const world = await madeAndLost(3)
    const { id } = await world.last()
    await world.lookUp(id)
    expect(
      codeOf(await world.reconciler.claim({ environmentId: 'e1', attemptId: id, deploymentId: 'd9' }, never)),
    ).toBe('conflict')
    expect(
      await world.reconciler.claim({ environmentId: 'e1', attemptId: id, deploymentId: chosen }, never),
    ).toMatchObject({
      ok: true,
      value: { state: 'created', deploymentId: chosen, lookup: { count: 3, deployment: { id: chosen } } },
    })
    expect(
      codeOf(await world.reconciler.claim({ environmentId: 'e1', attemptId: id, deploymentId: 'a0' }, never)),
    ).toBe('conflict')
  })

  it('dismisses an attempt, which frees its name and survives a restart', async () => {
    const world = new World()
    await world.create()
    const { id } = await world.last()
    expect(await world.reconciler.dismiss({ environmentId: 'e1', attemptId: id }, never)).toMatchObject({
      value: { state: 'dismissed' },
    })
    expect(codeOf(await world.reconciler.dismiss({ environmentId: 'e1', attemptId: id }, never))).toBe(
      'conflict',
    )
    world.start()
    world.onPost = () => world.answered(201, world.make())
    expect(codeOf(await world.create())).toBe('ok')
    expect(await world.attempts()).toMatchObject([{ state: 'dismissed' }, { state: 'created' }])
  })

  it('is not shown as a deployment of another service if its environment was edited meanwhile', async () => {
    const world = new World()
    world.onPost = () => {
      world.targets.set('e1', { environmentId: 'e1', baseUrl: b, headers: {} })
      return world.answered(201, world.make())
    }
    expect(await world.create()).toMatchObject({
      ok: false,
      failure: { code: 'other-service', sent: 'answered' },
    })
    expect(await world.last()).toMatchObject({ state: 'created' })
  })

  it('is on the disk when it is acknowledged, and changes nothing if it cannot be written', async () => {
    const world = await madeAndLost(2)
    world.report = vi.fn()
    const { id } = await world.last()
    await world.lookUp(id)
    world.isDiskFull = true
    expect(
      codeOf(await world.reconciler.claim({ environmentId: 'e1', attemptId: id, deploymentId: 'a0' }, never)),
    ).toBe('internal')
    expect(codeOf(await world.reconciler.dismiss({ environmentId: 'e1', attemptId: id }, never))).toBe(
      'internal',
    )
    world.isDiskFull = false
    expect(await world.last()).toMatchObject({ state: 'unconfirmed', deploymentId: null })
    world.reconciler.close()
  })
})
