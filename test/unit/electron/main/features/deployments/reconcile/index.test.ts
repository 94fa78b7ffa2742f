import {
  type Connection,
  type CreateRequest,
  type CreationEntry,
  fail,
  type Failure,
  failure,
  formsOf,
  type Outcome,
  type StoredCreation,
  succeed,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { absenceMs } from '../../../../../../../electron/main/features/deployments/attempts/absence'
import { fingerprintOf } from '../../../../../../../electron/main/features/deployments/attempts/fingerprint'
import {
  createReconciler,
  lookupTimesMs,
} from '../../../../../../../electron/main/features/deployments/reconcile'
import type {
  Environments,
  ReadyEnvironment,
} from '../../../../../../../electron/main/environments/model/types'
import {
  headersIdentity,
  routeIdentity,
  serviceIdentity,
} from '../../../../../../../electron/main/environments/model/service-identity'
import type { HttpAnswer, HttpRequest, HttpTarget } from '../../../../../../../electron/main/http/types'
import type { Journal, LookupNote } from '../../../../../../../electron/main/stored/journal'
import { jsonBody } from '../../../../../../support/builders/json-body'
import { pageOf } from '../../../../../../support/builders/page-of'

const request: CreateRequest = {
  name: 'agent',
  source: 'internal_docker',
  source_config: { resource_spec: { min_scale: 1, max_scale: 2 } },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [],
}

const target = { environmentId: 'e1', baseUrl: 'https://a.example', headers: { 'X-Tenant-Id': 't1' } }

/** How many requests a lookup takes if the list has no such name. */
const inOneLook = formsOf(request.name).length

const now = (): string => new Date().toISOString()

const steady = { startedAtService: null, isSteady: () => true }

/** Journal, service and environments in which the attempt "j1" at "agent" is unconfirmed. */
function set() {
  let current = 'e1'
  const entries: StoredCreation[] = []
  const add = (id: string, more: Partial<StoredCreation> = {}): void => {
    const fingerprint = fingerprintOf(request)
    entries.push({
      kind: 'creation',
      id,
      startedAt: now(),
      endedAt: now(),
      environmentId: 'e1',
      environmentName: 'Production',
      state: 'unclear',
      name: 'agent',
      source: request.source,
      deploymentId: null,
      failure: failure('timeout', 'Late.'),
      lookup: null,
      lookFailure: null,
      before: [],
      startedAtService: null,
      heldBack: false,
      sentAgain: 0,
      fingerprint,
      serviceIdentity: serviceIdentity(target, fingerprint.salt),
      headersIdentity: headersIdentity(target, fingerprint.salt),
      routeIdentity: routeIdentity(target, fingerprint.salt),
      ...more,
    })
  }
  add('j1')
  const journal = {
    creations: () => Promise.resolve([...entries]),
    moveCreation: (id: string, place: { environmentId: string; environmentName: string }) => {
      Object.assign(
        entries.find((entry) => entry.id === id)!,
        place,
      )
      return Promise.resolve()
    },
    noteLookup: vi.fn((id: string, { state, lookup, lookFailure }: LookupNote) => {
      const index = entries.findIndex((entry) => entry.id === id)
      const entry = entries[index]!
      const seen = lookup ?? entry.lookup
      const deploymentId = state === 'created' ? (seen?.deployment?.id ?? null) : null
      entries[index] = {
        ...entry,
        state: state ?? entry.state,
        deploymentId,
        lookup: seen,
        lookFailure,
      }
      return Promise.resolve()
    }),
    claimCreation: (id: string, lookup: LookupNote['lookup']): Promise<void> =>
      journal.noteLookup(id, { state: 'created', lookup, lookFailure: null }),
  }
  let leadsTo: Pick<HttpTarget, 'environmentId' | 'baseUrl' | 'headers'> = target
  const known = ['e1', 'e2']
  const environments = {
    state: () => ({
      currentEnvironmentId: current,
      environments: known.map((id) => ({ id, service: null })),
    }),
    ready: () => Promise.resolve(succeed({ id: current, name: `Environment ${current}`, target: leadsTo })),
  }
  const there: object[] = []
  const sent = vi.fn<(request: HttpRequest) => Promise<Outcome<HttpAnswer>>>(({ query }) => {
    const offset = Number(query?.get('offset'))
    const resources = there.slice(offset, offset + 100)
    return Promise.resolve(
      succeed({
        status: 200,
        durationMs: 1,
        body: jsonBody({ resources, offset: offset + resources.length }),
      }),
    )
  })
  const report = vi.fn()
  const reconciler = createReconciler({
    environments: environments as unknown as Environments,
    http: { request: sent },
    journal: journal as unknown as Journal,
    monotonic: () => performance.now(),
    clocks: { now: () => null },
    report,
  })
  for (const { id } of entries) reconciler.noteStart(id, steady)
  const commit = (name = 'agent', more: object = {}): void => {
    there.push({ ...request, name, id: `d${there.length}`, created_at: now(), ...more })
  }
  return {
    reconciler,
    journal,
    entries,
    sent,
    there,
    commit,
    add,
    report,
    entry: (id = 'j1') => entries.find((entry) => entry.id === id)!,
    known,
    edit: (more: Partial<HttpTarget>) => (leadsTo = { ...leadsTo, ...more }),
    claim: (id: string, deploymentId: string) =>
      reconciler.claim('e1', id, deploymentId, new AbortController().signal),
    select: (id: string) => {
      current = id
      reconciler.noteEnvironment()
    },
    lookUp: (id = 'j1') => reconciler.lookUp('e1', id, new AbortController().signal),
  }
}

const connection = (state: Connection['state']): Connection => ({
  environmentId: 'e1',
  state,
  at: null,
  reason: null,
})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('looking up an unconfirmed attempt', () => {
  it('happens at each scheduled time and never sends anything', async () => {
    const { reconciler, sent, entry, report } = set()
    await reconciler.follow()
    let before = 0
    const times = lookupTimesMs.slice(0, lookupTimesMs.findIndex((after) => after > absenceMs) + 1)
    for (const [index, after] of times.entries()) {
      expect(entry().state).toBe('unclear')
      await vi.advanceTimersByTimeAsync(after - before - 1)
      expect(sent).toHaveBeenCalledTimes(index * inOneLook)
      await vi.advanceTimersByTimeAsync(1)
      // A result that would settle it is also read without the filter.
      const unfiltered = after > absenceMs ? 1 : 0
      expect(sent).toHaveBeenCalledTimes((index + 1) * inOneLook + unfiltered)
      before = after
    }
    expect(sent.mock.calls.every(([{ method }]) => method === 'GET')).toBe(true)
    expect(report).not.toHaveBeenCalled()
    // Two complete lookups were ten minutes apart.
    expect(entry()).toMatchObject({ state: 'not-created', lookup: { verdict: 'not-found' } })
  })

  describe('behind a filter that does not find it', () => {
    /** How many requests without the filter were answered, and with which failure the next ones are. */
    function setBlind() {
      const parts = set()
      const withFilter = parts.sent.getMockImplementation()!
      const unfiltered = { count: 0, failure: null as Failure | null }
      parts.sent.mockImplementation((request) => {
        if (request.query?.has('name_contains'))
          return Promise.resolve(
            succeed({ status: 200, durationMs: 1, body: jsonBody({ resources: [], offset: 0 }) }),
          )
        unfiltered.count += 1
        return unfiltered.failure ? Promise.resolve(fail(unfiltered.failure)) : withFilter(request)
      })
      return { ...parts, unfiltered }
    }

    it('finds it before it counts as not created; without that, it reads only the filtered list', async () => {
      const { lookUp, commit, entry, unfiltered } = setBlind()
      commit()
      for (const after of [0, absenceMs - 1]) {
        await vi.advanceTimersByTimeAsync(after)
        await lookUp()
        expect(entry()).toMatchObject({ state: 'unclear', lookup: { verdict: 'not-found' } })
      }
      expect(unfiltered.count).toBe(0)
      await vi.advanceTimersByTimeAsync(1)
      await lookUp()
      expect(entry()).toMatchObject({ state: 'created', deploymentId: 'd0' })
    })

    it('never finds it absent as long as the list without it gives no answer', async () => {
      const { lookUp, commit, entry, unfiltered } = setBlind()
      unfiltered.failure = failure('service-error', 'No.', { sent: 'answered', status: 503 })
      for (let looks = 0; looks < 4; looks += 1) {
        await lookUp()
        await vi.advanceTimersByTimeAsync(absenceMs)
      }
      expect(entry()).toMatchObject({ state: 'unclear', lookup: { reason: 'incomplete' } })
      expect(unfiltered.count).toBe(3)
      commit('agent', { created_at: entry().startedAt })
      unfiltered.failure = null
      await lookUp()
      expect(entry().state).toBe('created')
    })
  })

  it('ends when the deployment is found, on whatever page', async () => {
    const { reconciler, sent, entry, commit } = set()
    await reconciler.follow()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(entry()).toMatchObject({ state: 'unclear', lookup: { verdict: 'not-found' } })
    for (let count = 0; count < 150; count += 1) commit(`agent-${count}`)
    commit()
    await vi.advanceTimersByTimeAsync(2_000)
    expect(entry()).toMatchObject({
      state: 'created',
      deploymentId: 'd150',
      lookup: { verdict: 'found' },
    })
    const calls = sent.mock.calls.length
    await vi.advanceTimersByTimeAsync(24 * 3600 * 1000)
    expect(sent).toHaveBeenCalledTimes(calls)
  })

  it('leaves it unconfirmed while another one has its name', async () => {
    const { reconciler, entry, commit } = set()
    commit('agent', { source: 'internal_source' })
    await reconciler.follow()
    await vi.advanceTimersByTimeAsync(3600 * 1000)
    expect(entry()).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'different', deployment: { id: 'd0' }, differences: ['source'] },
    })
  })

  it("doesn't accept a deployment that another attempt created", async () => {
    const { lookUp, entry, commit, add } = set()
    commit()
    add('j0', { state: 'created', deploymentId: 'd0' })
    await lookUp()
    expect(entry()).toMatchObject({ state: 'unclear', lookup: { verdict: 'not-found' } })
  })

  it('is repeated when the service can be reached again', async () => {
    const { reconciler, sent, entry, commit } = set()
    sent.mockResolvedValue(fail(failure('offline', 'Gone.')))
    await reconciler.follow()
    reconciler.noteConnection(connection('offline'))
    await vi.advanceTimersByTimeAsync(24 * 3600 * 1000)
    expect(entry()).toMatchObject({ state: 'unclear', lookup: null, lookFailure: { code: 'offline' } })
    sent.mockReset()
    sent.mockImplementation(({ query }) =>
      Promise.resolve(
        succeed({
          status: 200,
          durationMs: 1,
          body: jsonBody(pageOf([{ ...request, id: 'd9', created_at: entry().startedAt }], query)),
        }),
      ),
    )
    commit()
    reconciler.noteConnection(connection('online'))
    reconciler.noteConnection(connection('online'))
    await vi.advanceTimersByTimeAsync(1_000)
    // One lookup: for each form of the name, one page with it and one without further entries.
    expect(sent).toHaveBeenCalledTimes(2 * inOneLook)
    expect(entry()).toMatchObject({ state: 'created', deploymentId: 'd9', lookFailure: null })
  })

  it('happens in the current environment only, and continues when it is current again', async () => {
    const { reconciler, sent, select } = set()
    await reconciler.follow()
    select('e2')
    await vi.advanceTimersByTimeAsync(3600 * 1000)
    expect(sent).not.toHaveBeenCalled()
    select('e1')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toHaveBeenCalledTimes(inOneLook)
  })

  it('leaves out old attempts and settled ones', async () => {
    const { reconciler, sent, entry, add } = set()
    const old = { startedAt: '2020-01-01T00:00:00.000Z', endedAt: '2020-01-01T00:00:01.000Z' }
    Object.assign(entry(), { ...old, state: 'created' })
    add('j2', old)
    await reconciler.follow()
    await vi.advanceTimersByTimeAsync(3600 * 1000)
    expect(sent).not.toHaveBeenCalled()
    reconciler.close()
  })

  it('stops when the application ends', async () => {
    const { reconciler, sent } = set()
    await reconciler.follow()
    reconciler.close()
    await vi.advanceTimersByTimeAsync(3600 * 1000)
    expect(sent).not.toHaveBeenCalled()
  })
})

describe('a refused attempt', () => {
  const refusal = (status: number) => failure('bad-request', 'No.', { sent: 'answered', status })
  const refused = (status = 422) => ({ state: 'refused', failure: refusal(status) }) as const
  const environment = { id: 'e1', name: 'Production', target } as unknown as ReadyEnvironment
  const review = ({ reconciler }: ReturnType<typeof set>, name = 'agent', at = environment) =>
    reconciler.reviewRefused(at, name, new AbortController().signal)

  it('is unconfirmed again if the list has a deployment that may be its own', async () => {
    for (const more of [
      { source: 'internal_source' },
      // Without a clock of the service, an equal deployment of another time may belong to anyone.
      { created_at: '2020-01-01T00:00:00Z' },
    ]) {
      const parts = set()
      Object.assign(parts.entry(), refused())
      parts.reconciler.noteStart('j1', steady)
      parts.commit('agent', more)
      expect(await review(parts)).toEqual(succeed(null))
      expect(parts.entry()).toMatchObject({ state: 'unclear', lookup: { deployment: { id: 'd0' } } })
      parts.reconciler.close()
    }
  })

  it('is unconfirmed again while the list gives no answer, and stays refused if access is denied', async () => {
    const unanswered = [
      failure('offline', 'Gone.'),
      failure('service-error', 'No.', { sent: 'answered', status: 503 }),
    ]
    for (const [reason, state] of [
      ...unanswered.map((one) => [one, 'unclear'] as const),
      [refusal(403), 'refused'] as const,
    ]) {
      const parts = set()
      Object.assign(parts.entry(), refused())
      parts.sent.mockResolvedValue(fail(reason))
      expect(await review(parts)).toEqual(succeed(null))
      expect(parts.entry()).toMatchObject({ state, lookFailure: state === 'unclear' ? reason : null })
      parts.reconciler.close()
    }
  })

  it('stays refused if something else has the name, and at another service', async () => {
    const parts = set()
    Object.assign(parts.entry(), refused(409))
    parts.reconciler.noteStart('j1', steady)
    // By the clock that the service showed.
    Object.assign(parts.entry(), { startedAtService: now() })
    parts.commit('agent', { source: 'internal_source', created_at: '2020-01-01T00:00:00Z' })
    expect(await review(parts)).toEqual(succeed(null))
    parts.commit()
    Object.assign(parts.entry(), { serviceIdentity: 'another' })
    parts.sent.mockClear()
    expect(await review(parts)).toEqual(succeed(null))
    expect(parts.sent).not.toHaveBeenCalled()
    expect(parts.entry()).toMatchObject({ state: 'refused', lookup: null })
  })

  it('takes one lookup of the list for any number of attempts, and none without one', async () => {
    const parts = set()
    Object.assign(parts.entry(), refused())
    for (const id of ['j2', 'j3']) parts.add(id, refused())
    await review(parts)
    // Once more without the filter, which may not find it.
    expect(parts.sent).toHaveBeenCalledTimes(inOneLook + 1)
    await review(parts, 'other')
    expect(parts.sent).toHaveBeenCalledTimes(inOneLook + 1)
  })

  it("is looked up while it is running, and judged by its status if the list can't be read", async () => {
    const { reconciler, entry, commit, sent } = set()
    Object.assign(entry(), { state: 'sending' })
    const looked = (status: number) =>
      reconciler.lookUpAfterRefusal('e1', 'j1', refusal(status), new AbortController().signal)
    expect([(await looked(422)).state, (await looked(409)).state]).toEqual(['refused', 'unclear'])
    sent.mockResolvedValueOnce(fail(failure('offline', 'Gone.')))
    expect(await looked(422)).toMatchObject({ state: 'unclear', lookFailure: { code: 'offline' } })
    const forbidden = failure('forbidden', 'Not you.', { sent: 'answered', status: 403 })
    sent.mockResolvedValueOnce(fail(forbidden))
    expect(await looked(422)).toMatchObject({ state: 'refused', lookFailure: { code: 'forbidden' } })
    sent.mockResolvedValueOnce(fail(forbidden))
    expect((await looked(429)).state).toBe('unclear')
    commit()
    expect((await looked(422)).state).toBe('created')
    expect(entry().state).toBe('sending')
  })
})

describe('a lookup on request', () => {
  const stateOf = (outcome: Outcome<CreationEntry>) =>
    outcome.ok ? outcome.value.state : outcome.failure.code

  it('returns what is known afterwards, without what was sent', async () => {
    const { lookUp, commit } = set()
    expect(stateOf(await lookUp())).toBe('unclear')
    commit()
    const outcome = await lookUp()
    expect(stateOf(outcome)).toBe('created')
    expect(JSON.stringify(outcome)).not.toMatch(/fingerprint|Identity/)
    expect(stateOf(await lookUp('unknown'))).toBe('not-found')
  })

  it('notes why it got no answer, and keeps what was found before', async () => {
    const { lookUp, sent, entry, journal } = set()
    await lookUp()
    sent.mockResolvedValue(fail(failure('offline', 'Gone.')))
    await lookUp()
    await lookUp()
    expect(entry()).toMatchObject({ lookup: { verdict: 'not-found' }, lookFailure: { code: 'offline' } })
    expect(journal.noteLookup).toHaveBeenCalledTimes(2)
  })

  it('may still find an abandoned attempt', async () => {
    const { lookUp, commit, entry } = set()
    commit()
    Object.assign(entry(), { state: 'not-created' })
    expect(stateOf(await lookUp())).toBe('created')
  })
})

describe('the service that an attempt was sent to', () => {
  it('is the only one whose list settles it: a changed address or workspace proves nothing', async () => {
    for (const more of [{ baseUrl: 'https://b.example' }, { headers: { 'x-tenant-id': 't2' } }]) {
      const { lookUp, edit, commit, entry, sent, claim } = set()
      edit(more)
      commit()
      await lookUp()
      await vi.advanceTimersByTimeAsync(2 * absenceMs)
      await lookUp()
      expect(sent).not.toHaveBeenCalled()
      expect(entry()).toMatchObject({
        state: 'unclear',
        lookup: null,
        lookFailure: { code: 'other-service' },
      })
      expect(await claim('j1', 'd0')).toMatchObject({ failure: { code: 'other-service' } })
      edit(target)
      await lookUp()
      expect(entry()).toMatchObject({ state: 'created', deploymentId: 'd0', lookFailure: null })
    }
  })

  it('may be that of another environment after its own was removed', async () => {
    const { reconciler, known, add, entry } = set()
    add('gone', { environmentId: 'e0', environmentName: 'Old' })
    add('elsewhere', { environmentId: 'e0', serviceIdentity: 'another' })
    add('other', { environmentId: 'e2' })
    expect(known).not.toContain('e0')
    await reconciler.follow()
    expect(entry('gone')).toMatchObject({ environmentId: 'e1', environmentName: 'Environment e1' })
    expect(entry('elsewhere').environmentId).toBe('e0')
    expect(entry('other').environmentId).toBe('e2')
    await vi.advanceTimersByTimeAsync(2 * absenceMs)
    expect(entry('gone').state).toBe('not-created')
    expect(entry('elsewhere').lookup).toBeNull()
  })
})

describe('an absent attempt', () => {
  it("counts no lookup that wasn't complete, and none that found something", async () => {
    const { lookUp, sent, entry, there, commit } = set()
    sent.mockResolvedValueOnce(fail(failure('timeout', 'No answer.')))
    await lookUp()
    await vi.advanceTimersByTimeAsync(absenceMs)
    await lookUp()
    expect(entry().state).toBe('unclear')
    await vi.advanceTimersByTimeAsync(absenceMs / 2)
    commit('agent', { source: 'internal_source' })
    await lookUp()
    there.length = 0
    await vi.advanceTimersByTimeAsync(absenceMs / 2)
    await lookUp()
    expect(entry().state).toBe('unclear')
    await vi.advanceTimersByTimeAsync(absenceMs)
    await lookUp()
    expect(entry().state).toBe('not-created')
  })

  it('is open again if a deployment is found later that may be its own', async () => {
    const { lookUp, entry, commit } = set()
    Object.assign(entry(), { state: 'not-created' })
    commit('agent', { source: 'internal_source' })
    await lookUp()
    expect(entry()).toMatchObject({ state: 'unclear', lookup: { verdict: 'different' } })
  })
})

describe('a matching deployment', () => {
  it("isn't accepted for an attempt if it also matches another open one", async () => {
    for (const state of ['sending', 'unclear', 'not-created'] as const) {
      const { lookUp, entry, commit, add } = set()
      add('j2', { state })
      commit()
      await lookUp()
      expect(entry()).toMatchObject({
        state: 'unclear',
        lookup: { verdict: 'cannot-tell', reason: 'several' },
      })
    }
  })
})

describe('claiming a found deployment', () => {
  const codeOf = (outcome: Outcome<CreationEntry>) => (outcome.ok ? 'settled' : outcome.failure.code)

  it('settles an attempt that only the operator can settle, and ends its lookups', async () => {
    const { reconciler, lookUp, commit, entry, sent, claim } = set()
    await reconciler.follow()
    commit('agent', { source: 'internal_source' })
    await lookUp()
    expect(entry()).toMatchObject({ state: 'unclear', lookup: { verdict: 'different' } })
    const outcome = await claim('j1', 'd0')
    expect(outcome).toMatchObject({ ok: true, value: { state: 'created', deploymentId: 'd0' } })
    expect(JSON.stringify(outcome)).not.toMatch(/fingerprint|Identity/)
    expect(entry()).toMatchObject({ state: 'created', deploymentId: 'd0' })
    const looks = sent.mock.calls.length
    await vi.advanceTimersByTimeAsync(24 * 3600 * 1000)
    expect(sent).toHaveBeenCalledTimes(looks)
  })

  it('is refused for a deployment other than the last lookup found, and if nothing is open', async () => {
    const { lookUp, commit, add, claim } = set()
    expect(codeOf(await claim('j1', 'd0'))).toBe('conflict')
    expect(codeOf(await claim('unknown', 'd0'))).toBe('not-found')
    commit('agent', { source: 'internal_source' })
    await lookUp()
    expect(codeOf(await claim('j1', 'd1'))).toBe('conflict')
    add('j2', { state: 'created', deploymentId: 'd0' })
    expect(codeOf(await claim('j1', 'd0'))).toBe('conflict')
  })

  it('is refused if the last lookup found none that may be its own', async () => {
    const { lookUp, commit, entry, claim } = set()
    Object.assign(entry(), { startedAtService: now() })
    commit('agent', { source: 'internal_source', created_at: '2020-01-01T00:00:00Z' })
    await lookUp()
    expect(entry()).toMatchObject({ lookup: { verdict: 'not-found', deployment: { id: 'd0' } } })
    expect(codeOf(await claim('j1', 'd0'))).toBe('conflict')
  })
})
