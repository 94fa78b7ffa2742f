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
  systemNetwork,
  type Trust,
} from '@contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { absenceMs } from '../../../../../../../electron/main/features/deployments/attempts/absence'
import { fingerprintOf } from '../../../../../../../electron/main/features/deployments/attempts/fingerprint'
import {
  createReconciler,
  lookupTimesMs,
} from '../../../../../../../electron/main/features/deployments/reconcile'
import {
  latestMs,
  maxCompared,
} from '../../../../../../../electron/main/features/deployments/attempts/match-attempt'
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
  it('stops comparing once its environment is left', async () => {
    const { add, commit, sent, lookUp, select, journal, entry } = set()
    for (const id of ['j2', 'j3', 'j4']) add(id)
    commit()
    let time = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      if (sent.mock.calls.length === 2 * inOneLook) select('e2')
      return (time += 20)
    })
    const looked = lookUp()
    await vi.advanceTimersByTimeAsync(100)
    expect(await looked).toMatchObject({ ok: true })
    clock.mockRestore()
    // For each form of the name, one page with it and one without further entries.
    expect(sent).toHaveBeenCalledTimes(2 * inOneLook)
    expect(journal.noteLookup).not.toHaveBeenCalled()
    expect(entry()).toMatchObject({ state: 'unclear', lookup: null, lookFailure: null })
  })

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

  it('warns of no leaking listeners, however many are looked up at once', async () => {
    const { reconciler, add, sent } = set()
    for (let number = 2; number <= 30; number += 1) add(`j${number}`)
    sent.mockImplementation(() => new Promise(() => undefined))
    const warned = vi.fn()
    process.on('warning', warned)
    await reconciler.follow()
    await vi.advanceTimersByTimeAsync(lookupTimesMs[0]!)
    expect(sent).toHaveBeenCalledTimes(30)
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
    reconciler.close()
  })

  it('never finds it absent, or present, in lists that a cache has stored', async () => {
    const { reconciler, sent, entry } = set()
    const fresh = sent.getMockImplementation()!
    sent.mockImplementation(async (request) => {
      const answer = await fresh(request)
      return answer.ok ? succeed({ ...answer.value, isStale: true }) : answer
    })
    await reconciler.follow()
    await vi.advanceTimersByTimeAsync(3 * absenceMs)
    expect(sent.mock.calls.length).toBeGreaterThan(3)
    expect(entry()).toMatchObject({
      state: 'unclear',
      lookup: null,
      lookFailure: { code: 'unreadable-answer', sent: 'answered' },
    })
    sent.mockImplementation(fresh)
    await vi.advanceTimersByTimeAsync(2 * 3_600_000)
    expect(entry()).toMatchObject({ state: 'not-created', lookFailure: null })
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

    it('finds what counts as not created since an earlier start', async () => {
      const { lookUp, commit, entry } = setBlind()
      Object.assign(entry(), { state: 'not-created' })
      await lookUp()
      expect(entry().state).toBe('not-created')
      commit()
      await lookUp()
      expect(entry().state).toBe('created')
    })
  })

  it.each([201, 202, 302])('never finds it absent if it was answered with %i', async (status) => {
    const { reconciler, entry } = set()
    Object.assign(entry(), {
      failure: failure('unreadable-answer', 'Not with that name.', { sent: 'answered', status }),
    })
    await reconciler.follow()
    await vi.advanceTimersByTimeAsync(lookupTimesMs.at(-1)! + absenceMs)
    expect(entry()).toMatchObject({ state: 'unclear', lookup: { verdict: 'not-found' } })
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

  it.each([
    ['of this run', {}, true],
    ['that the journal has behind a newer one', {}, false],
    ['that began not long ago by the clock of the service', { startedAtService: now() }, false],
    ['that began in a year to come', { startedAt: '2099-01-01T00:00:00.000Z' }, false],
  ])('includes an attempt %s, whatever the clock said when it began', async (what, more, isOfThisRun) => {
    const { reconciler, entry, entries, add, commit } = set()
    const old = { startedAt: '2020-01-01T00:00:00.000Z', endedAt: '2020-01-01T00:00:01.000Z' }
    Object.assign(entry(), { state: 'created', ...(what.includes('behind') ? {} : old) })
    add('j2', { ...old, ...more })
    if (isOfThisRun) reconciler.noteStart('j2', steady)
    commit()
    await reconciler.follow()
    await vi.advanceTimersByTimeAsync(2000)
    expect(entries.at(-1)?.lookup).not.toBeNull()
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

describe('an attempt at a name that only an older deployment has', () => {
  it.each([
    [
      'which is not what was sent, is not created after ten minutes',
      { source: 'internal_source' },
      'not-created',
    ],
    ['which has what was sent, stays open for the user to claim', {}, 'unclear'],
  ])('%s', async (_what, more, state) => {
    const { lookUp, commit, entry } = set()
    Object.assign(entry(), { startedAtService: now() })
    commit('agent', { created_at: '2020-01-01T00:00:00Z', ...more })
    await lookUp()
    expect(entry()).toMatchObject({ state: 'unclear', lookup: { deployment: { id: 'd0' } } })
    await vi.advanceTimersByTimeAsync(absenceMs)
    await lookUp()
    expect(entry().state).toBe(state)
    // What was sent may still appear.
    commit()
    await lookUp()
    expect(entry()).toMatchObject({ state: 'created', deploymentId: 'd1' })
  })
})

describe('a refused attempt', () => {
  const refusal = (status: number) => failure('bad-request', 'No.', { sent: 'answered', status })
  const refused = (status = 422) => ({ state: 'refused', failure: refusal(status) }) as const
  const environment = { id: 'e1', name: 'Production', target } as unknown as ReadyEnvironment
  const review = ({ reconciler }: ReturnType<typeof set>, name = 'agent', at = environment) =>
    reconciler.reviewRefused(at, name, new AbortController().signal)

  it('is settled before its name is sent again if the list now has it', async () => {
    const parts = set()
    Object.assign(parts.entry(), refused())
    expect(await review(parts)).toEqual(succeed(null))
    expect(parts.entry().state).toBe('refused')
    parts.commit()
    const { fingerprint: sent } = parts.entry()
    expect(await review(parts)).toEqual(succeed({ deploymentId: 'd0', sent }))
    expect(parts.entry()).toMatchObject({
      state: 'created',
      deploymentId: 'd0',
      lookup: { verdict: 'found' },
    })
  })

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

  it('that left nothing stays refused without an answer of the list', async () => {
    const parts = set()
    Object.assign(parts.entry(), { state: 'refused', failure: failure('offline', 'Gone.', { sent: 'no' }) })
    parts.sent.mockResolvedValue(fail(failure('offline', 'Gone.')))
    expect(await review(parts)).toEqual(succeed(null))
    expect(parts.entry().state).toBe('refused')
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

  it('is noted as absent once, and again when later deployments no longer match, however often its name is sent', async () => {
    const parts = set()
    Object.assign(parts.entry(), refused())
    const count = 30
    for (let at = 2; at <= count; at += 1) parts.add(`j${at}`, refused())
    const notes = parts.journal.noteLookup
    await review(parts)
    expect(notes).toHaveBeenCalledTimes(count)
    for (let sends = 0; sends < 5; sends += 1) await review(parts)
    expect(notes).toHaveBeenCalledTimes(count)
    vi.setSystemTime(Date.now() + latestMs)
    for (let sends = 0; sends < 5; sends += 1) await review(parts)
    expect(notes).toHaveBeenCalledTimes(2 * count)
  })

  it('is compared if it is among the newest of its name', async () => {
    const parts = set()
    const timed = { ...refused(), startedAtService: now() }
    Object.assign(parts.entry(), timed)
    for (let at = 2; at <= 4 * maxCompared; at += 1) parts.add(`j${at}`, timed)
    parts.commit()
    await review(parts)
    // It matches each of them.
    const open = parts.entries.filter(({ state }) => state === 'unclear')
    expect(open).toHaveLength(maxCompared)
    expect(open.at(-1)).toMatchObject({ id: `j${4 * maxCompared}`, lookup: { reason: 'several' } })
  })

  it('may be claimed by the operator if another account has what was sent', async () => {
    const parts = set()
    Object.assign(parts.entry(), refused(403))
    parts.commit()
    const elsewhere = { ...target, headers: { ...target.headers, 'X-Api-Key': 'another' } }
    const other = { ...environment, target: elsewhere } as typeof environment
    expect(await review(parts, 'agent', other)).toEqual(succeed(null))
    expect(parts.entry()).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'credentials', deployment: { id: 'd0' } },
    })
    parts.reconciler.close()
  })

  it('because of its name is not created only after two complete lookups ten minutes apart', async () => {
    const { lookUp, entry, add, commit } = set()
    Object.assign(entry(), { failure: refusal(409) })
    await lookUp()
    expect(entry().state).toBe('unclear')
    await vi.advanceTimersByTimeAsync(absenceMs)
    await lookUp()
    expect(entry().state).toBe('not-created')
    // Another attempt has created the deployment with the name.
    commit()
    add('j2', { state: 'created', deploymentId: 'd0' })
    await lookUp()
    expect(entry().state).toBe('refused')
  })

  it('for another reason is refused after one complete lookup', async () => {
    const { lookUp, entry } = set()
    Object.assign(entry(), { failure: refusal(429) })
    await lookUp()
    expect(entry().state).toBe('refused')
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

  it('is shared by simultaneous callers', async () => {
    const { lookUp, sent } = set()
    await Promise.all([lookUp(), lookUp(), lookUp()])
    expect(sent).toHaveBeenCalledTimes(inOneLook)
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

  it("isn't known for an attempt of an earlier version, which only the operator settles", async () => {
    const { lookUp, entry, commit, claim } = set()
    Object.assign(entry(), { serviceIdentity: null, headersIdentity: null })
    await lookUp()
    await vi.advanceTimersByTimeAsync(2 * absenceMs)
    await lookUp()
    expect(entry()).toMatchObject({ state: 'unclear', lookup: { verdict: 'cannot-tell', deployment: null } })
    commit('agent', { created_at: entry().startedAt })
    await lookUp()
    expect(entry()).toMatchObject({
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'no-service' },
    })
    expect(await claim('j1', 'd0')).toMatchObject({ ok: true, value: { state: 'created' } })
  })
})

describe('an attempt whose environment now has other request headers, or another route to its service', () => {
  const refused = failure('bad-request', 'No.', { sent: 'answered', status: 422 })
  const other = { headers: { ...target.headers, 'X-Api-Key': 'another' } }

  const throughOther: Partial<HttpTarget> = {
    network: {
      ...systemNetwork,
      proxy: { mode: 'manual', host: 'proxy.example.com', port: 8080, credentials: null },
    },
  }
  const exact: Trust = {
    kind: 'exact',
    certificate: {
      subject: 'CN=a',
      issuer: 'CN=a',
      validFrom: '2026-01-01T00:00:00Z',
      validTo: '2027-01-01T00:00:00Z',
      fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
    },
  }

  it.each<[string, Partial<StoredCreation>, Partial<HttpTarget>?]>([
    ['lost', {}],
    ['refused', { failure: refused }],
    ['of a version that did not keep them', { headersIdentity: null }],
    ['of a version that kept no route', { routeIdentity: null }, {}],
    ['sent through another proxy', {}, throughOther],
    ['refused through another proxy', { failure: refused }, throughOther],
    ['sent by another certificate rule', {}, { network: { ...systemNetwork, trust: exact } }],
  ])("isn't settled by its absence from the list: one that was %s", async (_what, more, edited = other) => {
    const { lookUp, edit, entry, commit } = set()
    Object.assign(entry(), more)
    edit(edited)
    const lacks = {
      state: 'unclear',
      lookup: { verdict: 'cannot-tell', reason: 'credentials', deployment: null },
    }
    await lookUp()
    await vi.advanceTimersByTimeAsync(2 * absenceMs)
    await lookUp()
    expect(entry()).toMatchObject(lacks)
    // Nor by an older deployment, which the attempt can't have created.
    commit('agent', { created_at: '2020-01-01T00:00:00Z' })
    await lookUp()
    expect(entry()).toMatchObject({ state: 'unclear' })
  })

  it.each([other, throughOther])(
    'may be claimed by the operator if the list has it, although it may be another one: %j',
    async (edited) => {
      const { lookUp, edit, entry, commit, claim } = set()
      commit()
      edit(edited)
      await lookUp()
      expect(entry()).toMatchObject({
        state: 'unclear',
        lookup: { verdict: 'cannot-tell', reason: 'credentials', deployment: { id: 'd0' } },
      })
      expect(await claim('j1', 'd0')).toMatchObject({ ok: true })
      expect(entry()).toMatchObject({ state: 'created', deploymentId: 'd0' })
    },
  )

  it('is settled once they are restored, in any order and case', async () => {
    const { lookUp, edit, entry } = set()
    Object.assign(entry(), { failure: refused })
    edit(other)
    await lookUp()
    expect(entry().state).toBe('unclear')
    edit({ headers: { 'x-tenant-id': 't1' } })
    await lookUp()
    expect(entry().state).toBe('refused')
  })

  it('is settled once the proxy is restored', async () => {
    const { lookUp, edit, entry } = set()
    Object.assign(entry(), { failure: refused })
    edit(throughOther)
    await lookUp()
    expect(entry().state).toBe('unclear')
    edit({ network: systemNetwork })
    await lookUp()
    expect(entry().state).toBe('refused')
  })

  it('stays that of its own environment after that was removed', async () => {
    const { reconciler, add, entry, edit } = set()
    add('gone', { environmentId: 'e0', environmentName: 'Old' })
    edit(other)
    await reconciler.follow()
    expect(entry('gone').environmentId).toBe('e0')
    edit(target)
    await reconciler.follow()
    expect(entry('gone').environmentId).toBe('e1')
    reconciler.close()
  })

  it("isn't reported as refused by any of its lookups while it is running", async () => {
    const { reconciler, entry, edit } = set()
    Object.assign(entry(), { state: 'sending' })
    edit(other)
    const looked = await reconciler.lookUpAfterRefusal('e1', 'j1', refused, new AbortController().signal)
    expect(looked).toMatchObject({ state: 'unclear', lookup: { reason: 'credentials' } })
  })
})

describe('an absent attempt', () => {
  it('is not created after two complete lookups ten minutes apart, whatever the wall clock says', async () => {
    const { lookUp, entry } = set()
    await lookUp()
    vi.setSystemTime(Date.now() + 30 * 24 * 3600 * 1000)
    await lookUp()
    expect(entry().state).toBe('unclear')
    vi.setSystemTime(Date.now() - 60 * 24 * 3600 * 1000)
    await vi.advanceTimersByTimeAsync(absenceMs - 1)
    await lookUp()
    expect(entry().state).toBe('unclear')
    await vi.advanceTimersByTimeAsync(1)
    await lookUp()
    expect(entry().state).toBe('not-created')
  })

  it('counts no lookup from before a suspend or resume, and none while it is suspended', async () => {
    const { reconciler, lookUp, entry } = set()
    await lookUp()
    reconciler.noteSuspend()
    await vi.advanceTimersByTimeAsync(2 * absenceMs)
    await lookUp()
    await vi.advanceTimersByTimeAsync(2 * absenceMs)
    await lookUp()
    expect(entry().state).toBe('unclear')
    reconciler.noteResume()
    await lookUp()
    expect(entry().state).toBe('unclear')
    await vi.advanceTimersByTimeAsync(absenceMs)
    await lookUp()
    expect(entry().state).toBe('not-created')
  })

  it('counts no lookup during which the machine was suspended', async () => {
    const { reconciler, lookUp, sent, entry } = set()
    await lookUp()
    await vi.advanceTimersByTimeAsync(absenceMs)
    const answer = sent.getMockImplementation()!
    sent.mockImplementationOnce((request) => {
      reconciler.noteSuspend()
      reconciler.noteResume()
      return answer(request)
    })
    await lookUp()
    expect(entry().state).toBe('unclear')
  })

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
