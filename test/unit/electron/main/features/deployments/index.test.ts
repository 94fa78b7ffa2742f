import {
  cancelledFailure,
  type CreateRequest,
  type Environment,
  fail,
  failure,
  type Outcome,
  succeed,
} from '@contract'
import { describe, expect, it, vi } from 'vitest'
import type { Journal, StoredCreation } from '../../../../../../electron/main/stored/journal'
import {
  createDeployments,
  noSuchDeployment,
} from '../../../../../../electron/main/features/deployments/list'
import {
  createCreation,
  type CreationDrafts,
} from '../../../../../../electron/main/features/deployments/creation'
import type { Reconciler } from '../../../../../../electron/main/features/deployments/reconciler'
import type { Environments } from '../../../../../../electron/main/environments'
import type { ReadyEnvironment } from '../../../../../../electron/main/environments/known'
import type { HttpAnswer, HttpRequest } from '../../../../../../electron/main/http/client'
import { jsonBody } from '../../../../../support/builders/answer-bodies'

const id = 'e1'

const nameIn = ({ body }: HttpRequest): string => (body as CreateRequest).name

function set(more: Partial<ReadyEnvironment> = {}) {
  let current = id
  const ready: ReadyEnvironment = {
    id,
    name: 'Production',
    mode: 'cloud',
    protected: false,
    readOnly: false,
    target: { environmentId: id, baseUrl: 'https://a.example', headers: {} },
    ...more,
  }
  const environments = {
    state: () => ({
      environments: [{ id } as Environment],
      currentEnvironmentId: current,
      keychain: { state: 'available', message: null },
    }),
    ready: vi.fn(() => Promise.resolve(succeed(structuredClone(ready)))),
  }
  const events: string[] = []
  const earlier: Partial<StoredCreation>[] = []
  const journal = {
    isIncomplete: vi.fn<Journal['isIncomplete']>(() => Promise.resolve(false)),
    creations: vi.fn(() => Promise.resolve(earlier.map((one) => ({ sentAgain: 0, ...one })))),
    beginCreation: vi.fn(() => {
      events.push('begun')
      return Promise.resolve('j1')
    }),
    noteSentAgain: vi.fn(() => Promise.resolve()),
    endCreation: vi.fn((_id: string, end: { state: string }) => {
      events.push(end.state)
      return Promise.resolve()
    }),
  }
  const request = vi.fn<(sent: HttpRequest) => Promise<Outcome<HttpAnswer>>>(async (sent) => {
    if (sent.signal?.aborted) return fail(cancelledFailure)
    events.push(sent.method)
    return succeed({
      status: 201,
      durationMs: 1,
      body: jsonBody({ id: 'd1', name: nameIn(sent), secrets: [secret] }),
    })
  })
  const reconciler = {
    follow: vi.fn(() => Promise.resolve()),
    lookUp: vi.fn<Reconciler['lookUp']>(() => Promise.resolve(fail(failure('not-found', 'None.')))),
    closing: signal,
  }
  const fillIn = vi.fn<CreationDrafts['fillIn']>(succeed)
  const settle = vi.fn(() => Promise.resolve())
  const context = {
    environments: environments as unknown as Environments,
    http: { request },
    journal: journal as unknown as Journal,
    reconciler: reconciler as unknown as Reconciler,
    drafts: { fillIn, settle },
    report: vi.fn(),
  }
  return {
    deployments: { ...createDeployments(context), 'deployments.create': createCreation(context) },
    fillIn,
    settle,
    earlier,
    reconciler,
    environments,
    journal,
    request,
    events,
    target: ready.target,
    select: (other: string) => (current = other),
  }
}

const secret = { name: 'KEY', value: 'hunter2' }

const agent: CreateRequest = {
  name: 'agent',
  source: 'internal_docker',
  source_config: {},
  source_revision_config: {},
  secrets: [secret],
}

const signal = new AbortController().signal

const create = (parts: ReturnType<typeof set>, request = agent, confirmedName: string | null = null) =>
  parts.deployments['deployments.create']({ environmentId: id, request, confirmedName, again: null }, signal)

const codeOf = (outcome: Outcome<unknown>) => (outcome.ok ? 'ok' : outcome.failure.code)

describe('an answer', () => {
  it("of a service that the environment no longer leads to isn't shown as its own", async () => {
    const parts = set()
    parts.request.mockImplementation(() => {
      parts.target.baseUrl = 'https://elsewhere.example'
      return Promise.resolve(succeed({ status: 200, body: jsonBody({ resources: [], offset: 0 }) }))
    })
    const query = { limit: 20, offset: 0 }
    expect(codeOf(await parts.deployments['deployments.page']({ environmentId: id, query }, signal))).toBe(
      'environment-changed',
    )
  })
})

describe('a creation', () => {
  it('is in the journal before it leaves, and its entry is closed afterwards', async () => {
    const parts = set()
    const outcome = await create(parts)
    expect(parts.events).toEqual(['begun', 'POST', 'created'])
    const orderOf = (mock: { mock: { invocationCallOrder: number[] } }) => mock.mock.invocationCallOrder[0]!
    expect(orderOf(parts.settle)).toBeLessThan(orderOf(parts.request))
    expect(outcome).toMatchObject({ ok: true, value: { environmentId: id, deployment: { id: 'd1' } } })
    expect(JSON.stringify(outcome)).not.toContain('hunter2')
    expect(parts.request.mock.calls[0]?.[0]).toMatchObject({ body: agent, secrets: ['hunter2'] })
  })

  it.each([
    [200, { id: 'd9' }, null],
    [201, { deployment: { id: 'd9' } }, null],
    [202, { data: { deployment_id: 'd9' } }, null],
    [201, {}, '/v2/deployments/d9'],
    [204, {}, 'https://a.example/v2/deployments/d9/?x=1'],
  ])(
    'answered with %i, %j and Location %s is settled by what the list has',
    async (status, body, location) => {
      const parts = set()
      const listed = { resources: [{ id: 'd9', name: agent.name, secrets: [] }], offset: 1 }
      parts.request.mockImplementation((sent) =>
        Promise.resolve(
          succeed(
            sent.method === 'POST'
              ? { status, body: jsonBody(body), location }
              : { status: 200, body: jsonBody(listed) },
          ),
        ),
      )
      expect(await create(parts)).toMatchObject({ ok: true, value: { deployment: { id: 'd9' } } })
      expect(parts.events).toEqual(['begun', 'created'])
      expect(parts.request.mock.calls[1]?.[0].query?.get('deployment_ids')).toBe('d9')
    },
  )

  it("never leaves if the mode doesn't allow its source", async () => {
    const parts = set({ mode: 'self-hosted' })
    const outcome = await create(parts)
    expect(outcome).toMatchObject({ failure: { code: 'invalid-input', issues: [{ path: ['source'] }] } })
    expect(parts.events).toEqual([])
  })

  it('in a protected environment requires its exact name', async () => {
    for (const [typed, code] of [
      [null, 'confirmation-needed'],
      ['production', 'confirmation-needed'],
      ['Production', 'ok'],
    ] as const) {
      const parts = set({ protected: true })
      expect(codeOf(await create(parts, agent, typed))).toBe(code)
      expect(parts.request).toHaveBeenCalledTimes(code === 'ok' ? 1 : 0)
    }
  })

  it('in a read-only environment never leaves, nor asks for a secret', async () => {
    const parts = set({ readOnly: true })
    expect(codeOf(await create(parts, agent, 'Production'))).toBe('not-allowed')
    expect(parts.request).not.toHaveBeenCalled()
    expect(parts.events).toEqual([])
  })

  it("gets its stored secrets for the target that it is sent to, and isn't sent if that is edited meanwhile", async () => {
    const parts = set()
    const filledIn = { ...agent, secrets: [{ name: 'KEY', value: 'kept' }] }
    parts.fillIn.mockReturnValueOnce(succeed(filledIn))
    expect(codeOf(await create(parts))).toBe('ok')
    const [sent] = parts.request.mock.calls[0]!
    expect(sent).toMatchObject({ body: { secrets: [{ value: 'kept' }] }, secrets: ['kept'] })
    expect(sent.target).toEqual(parts.fillIn.mock.calls[0]![1].target)
    parts.fillIn.mockImplementation(() => {
      parts.target.baseUrl = 'https://elsewhere.example'
      return succeed(filledIn)
    })
    expect(codeOf(await create(parts))).toBe('environment-changed')
    expect(parts.request).toHaveBeenCalledTimes(1)
  })

  it("isn't sent if its stored secrets may not be sent there, or it was cancelled meanwhile", async () => {
    const refused = set()
    refused.fillIn.mockReturnValue(fail(failure('invalid-input', 'Another environment.')))
    expect(codeOf(await create(refused))).toBe('invalid-input')
    const cancelled = set()
    const controller = new AbortController()
    cancelled.fillIn.mockImplementation((draftRequest) => {
      controller.abort(failure('cancelled', 'The call was cancelled.'))
      return succeed(draftRequest)
    })
    const input = { environmentId: id, request: agent, confirmedName: null, again: null }
    expect(codeOf(await cancelled.deployments['deployments.create'](input, controller.signal))).toBe(
      'cancelled',
    )
    expect([refused.events, cancelled.events]).toEqual([[], []])
  })

  it("isn't sent if the journal can't be written", async () => {
    const parts = set()
    parts.journal.beginCreation.mockRejectedValueOnce(new Error('disk full'))
    expect(codeOf(await create(parts))).toBe('internal')
    expect(parts.request).not.toHaveBeenCalled()
    expect(codeOf(await create(parts))).toBe('ok')
  })

  it("isn't sent if it was cancelled before", async () => {
    const before = set()
    const controller = new AbortController()
    before.journal.beginCreation.mockImplementationOnce(() => {
      controller.abort(failure('cancelled', 'Cancelled.'))
      return Promise.resolve('j1')
    })
    const input = { environmentId: id, request: agent, confirmedName: null, again: null }
    expect(codeOf(await before.deployments['deployments.create'](input, controller.signal))).toBe('cancelled')
    expect(before.events).toEqual(['refused'])
  })

  it.each([
    ['another deployment than was asked for', jsonBody({ id: 'd9', name: 'agent-of-someone', secrets: [] })],
    ['no deployment', jsonBody({ queued: true })],
    ['half of one', Buffer.from('{"id": "1')],
  ])('whose answer is %s is unconfirmed', async (_what, body) => {
    const parts = set()
    parts.request.mockResolvedValueOnce(succeed({ status: 201, body }))
    const outcome = await create(parts)
    expect(outcome).toMatchObject({ failure: { code: 'unreadable-answer', retryable: false } })
    expect(parts.events.at(-1)).toBe('unconfirmed')
  })
})

describe('the list', () => {
  it("of another environment than the current one isn't requested", async () => {
    const parts = set()
    parts.select('e2')
    const input = { environmentId: id, query: { limit: 2, offset: 0 } }
    expect(codeOf(await parts.deployments['deployments.page'](input, signal))).toBe('environment-changed')
    expect(parts.environments.ready).not.toHaveBeenCalled()
  })
})

describe('one deployment', () => {
  it('is the one with that identifier, with its JSON unchanged except values of secrets', async () => {
    const parts = set()
    const answered = { id: 'b', name: 'b', status: 7, extra: { deep: true }, secrets: [secret] }
    parts.request.mockResolvedValueOnce(
      succeed({
        status: 200,
        durationMs: 1,
        body: jsonBody({ resources: [{ id: 'a', name: 'a' }, answered], offset: 2 }),
      }),
    )
    const outcome = await parts.deployments['deployments.get']({ environmentId: id, id: 'b' }, signal)
    if (!outcome.ok) throw new Error(outcome.failure.message)
    expect(outcome.value.deployment).toMatchObject({ id: 'b', status: 'UNKNOWN' })
    expect(JSON.parse(outcome.value.json)).toEqual({ ...answered, secrets: [{ name: 'KEY', value: '' }] })
    expect(parts.request.mock.calls[0]?.[0].query?.get('deployment_ids')).toBe('b')
  })

  it("isn't found if the service answers others", async () => {
    const parts = set()
    parts.request.mockResolvedValueOnce(
      succeed({
        status: 200,
        durationMs: 1,
        body: jsonBody({ resources: [{ id: 'a', name: 'a' }], offset: 1 }),
      }),
    )
    expect(codeOf(await parts.deployments['deployments.get']({ environmentId: id, id: 'b' }, signal))).toBe(
      'not-found',
    )
  })

  it('is missing only if an answer about it has none', async () => {
    const parts = set()
    const get = async (resources: object[]) => {
      const body = jsonBody({ resources, offset: resources.length })
      parts.request.mockResolvedValueOnce(succeed({ status: 200, body }))
      const outcome = await parts.deployments['deployments.get']({ environmentId: id, id: 'b' }, signal)
      return outcome.ok ? null : outcome.failure
    }
    expect(await get([])).toBe(noSuchDeployment)
    const other = await get([{ id: 'a', name: 'a' }])
    expect(other).not.toBe(noSuchDeployment)
    expect(other?.code).toBe('not-found')
  })
})

describe('the status of a deployment', () => {
  const answers = (parts: ReturnType<typeof set>, resources: object[]) =>
    parts.request.mockResolvedValueOnce(
      succeed({ status: 200, body: jsonBody({ resources, offset: resources.length }) }),
    )

  it('is that of the one with that identifier, and nothing more', async () => {
    const parts = set()
    answers(parts, [
      { id: 'a', name: 'a', status: 'AWAITING_DATABASE' },
      { id: 'b', name: 'b', status: 'READY', source_config: { custom_url: 'https://b.example' } },
    ])
    expect(await parts.deployments['deployments.status']({ environmentId: id, id: 'b' }, signal)).toEqual(
      succeed({ status: 'READY' }),
    )
    expect(parts.request.mock.calls[0]?.[0].query?.get('deployment_ids')).toBe('b')
  })
})
