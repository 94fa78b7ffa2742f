import { type CallInput, type Connection, succeed } from '@contract'
import type { SyncState, WatchesState } from '@contract/cache'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Environments } from '../../../../../../electron/main/environments'
import { createWatches, type Watches } from '../../../../../../electron/main/features/watches'
import { serviceIdentity } from '../../../../../../electron/main/environments/known'
import type { Seen } from '../../../../../../electron/main/features/watches/rules'
import type { StoredCreation } from '../../../../../../electron/main/stored/journal'
import { jsonBody } from '../../../../../support/builders/answer-bodies'
import { type Leads, bytesIn, environmentsLeading, stateIn } from '../../../../../support/main/state'
import { brief, seen } from '../../../../../support/builders/watched'
import { cachedFromSeen } from '../../../../../support/cache/cache-here'
import { temporaryFolder } from '../../../../../support/temporary-folder'

const second = 1_000

let folder: string
let leads: Map<string, Leads>
let current: string
let connection: Connection['state']
let at: number
let all: Seen[]
let created: StoredCreation[]
/** How many deployments the service answers at once. */
let most: number
/** What each answer of the service waits for once it is made. */
let way: Promise<void>
/** How many pages were read of the cache, and what each waits for then. */
let reads: number
let reading: Promise<void>
/** What the service was asked for: base URL and identifiers. */
let requests: [string, string[]][]
/** When the cache was synchronised last (ISO 8601). */
let synchronisedAt: string | null
let state: WatchesState
let shown: string[]
/** Whether the disk refuses everything. */
let isFull: boolean
let running: Watches[]

beforeEach(() => {
  folder = temporaryFolder()
  leads = new Map([['e', { baseUrl: 'https://one.example', headers: {} }]])
  current = 'e'
  connection = 'online'
  at = new Date(2026, 10, 24, 12).getTime()
  all = [seen('a'), seen('b')]
  created = []
  most = 100
  way = Promise.resolve()
  reads = 0
  reading = Promise.resolve()
  requests = []
  synchronisedAt = null
  shown = []
  isFull = false
  running = []
})
afterEach(async () => {
  for (const watches of running) await watches.close()
})

const { signal } = new AbortController()

function start({ isShown = true } = {}) {
  const { environments: known, serviceOf } = environmentsLeading(leads)
  const environments = {
    ...known,
    state: () => ({ ...known.state(), currentEnvironmentId: current }),
    ready: (id: string) => Promise.resolve(succeed(known.destination(id))),
  } as unknown as Environments
  const cache = cachedFromSeen(
    () => all,
    () => synchronisedAt,
  )
  const watches = createWatches({
    failures: () => Promise.resolve(succeed([])),
    journal: { creations: () => Promise.resolve(created) },
    state: stateIn(folder, { refuses: () => isFull }),
    environments,
    cache: {
      ...cache,
      ask: async (...asked) => {
        const answer = await cache.ask(...asked)
        if (asked[1] !== 'page') return answer
        reads += 1
        await reading
        return answer
      },
    },
    http: {
      request: ({ target, query }) => {
        const ids = (query?.get('deployment_ids') ?? '').split(',')
        requests.push([target.baseUrl, ids])
        const found = all.filter(({ id, isGone }) => ids.includes(id) && !isGone).slice(0, most)
        const deployments = found.map(({ latest, active, ...one }) => ({
          ...one,
          latest_revision_id: latest,
          active_revision_id: active,
        }))
        const body = jsonBody({ resources: deployments, offset: deployments.length })
        return way.then(() => succeed({ status: 200, body }))
      },
    },
    stateOf: () => connection,
    isShown: () => isShown,
    notify: ({ title, body }) => shown.push(`${title}: ${body}`),
    changed: (now) => (state = now),
    report: (error) => {
      throw error
    },
    now: () => at,
  })
  running.push(watches)
  const { answers } = watches
  const add = (on: CallInput<'watches.add'>['on'], system = false) =>
    answers['watches.add'](
      {
        environmentId: current,
        service: serviceOf(current),
        on,
        tells: ['changed', 'appeared', 'gone', 'stuck', 'active'],
        stuckMinutes: 30,
        system,
      },
      signal,
    )
  return {
    ...watches,
    serviceOf,
    add,
    addDeployment: async (deploymentId: string, system = false) => {
      const added = await add({ kind: 'deployment', deploymentId, name: deploymentId }, system)
      await watches.tick()
      return added
    },
    /** Lets time pass, and runs what is due. */
    async pass(ms: number): Promise<void> {
      at += ms
      await watches.tick()
    },
    async synchronise(end: 'complete' | 'unsettled' = 'complete'): Promise<void> {
      const last = {
        at: new Date(at).toISOString(),
        end,
        failure: null,
        moving: false,
        covered: 0,
        gone: 0,
      }
      const synced: SyncState = {
        environmentId: 'e',
        progress: null,
        last,
        cache: null,
        storage: 'disk',
        intervalMinutes: 15,
        problem: null,
      }
      at += second
      await watches.noteSynchronisation(synced)
    },
  }
}

const reported = (): string[] => state.notices.flatMap(({ entries }) => brief(entries)).sort()
const everything = { kind: 'list', name: 'all', query: { filters: {}, search: '' } } as const

it('request nothing while the service is out of reach, refuses, or is not the current one', async () => {
  leads.set('f', { baseUrl: 'https://two.example', headers: {} })
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  requests = []
  for (const state of ['offline', 'denied'] as const) {
    connection = state
    await watches.pass(40 * second)
  }
  connection = 'online'
  current = 'f'
  watches.noteEnvironment()
  await watches.pass(40 * second)
  expect(requests).toEqual([])
  current = 'e'
  watches.noteEnvironment()
  await watches.pass(second)
  expect(requests).toEqual([['https://one.example', ['a']]])
})

it('request nothing from another service after an edit until the operator agrees', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  const { id } = state.watches[0]!
  requests = []
  leads.set('e', { baseUrl: 'https://two.example', headers: {} })
  watches.noteEnvironment()
  await watches.pass(40 * second)
  all = [seen('a', { latest: 'r2' })]
  await watches.synchronise()
  expect(requests).toEqual([])
  expect(state.watches).toMatchObject([{ id, state: 'elsewhere' }])
  expect(
    await watches.answers['watches.follow']({ id, service: 'of before the edit' }, signal),
  ).toMatchObject({
    failure: { code: 'environment-changed' },
  })
  await watches.answers['watches.follow']({ id, service: watches.serviceOf('e') }, signal)
  await watches.pass(second)
  expect(requests).toEqual([['https://two.example', ['a']]])
  expect(state.watches).toMatchObject([{ id, state: 'follows' }])
  // The state at that service makes no notice.
  expect(reported()).toEqual([])
})

it('tell nothing for an hour about a deployment that was just created here', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  await watches.addDeployment('b')
  const endedAt = new Date(at).toISOString()
  const service = serviceIdentity({ environmentId: 'e', ...leads.get('e')! })
  const own = { environmentId: 'e', service, deploymentId: 'a', endedAt } as StoredCreation
  created = [own, { ...own, environmentId: 'f', deploymentId: 'b' }]
  all = [seen('a', { latest: 'r2' }), seen('b', { latest: 'r2' })]
  await watches.pass(40 * second)
  expect(reported()).toEqual(['b changed revision r2'])
  all = [seen('a', { latest: 'r3' })]
  await watches.pass(3_600 * second)
  expect(reported()).toEqual(['a changed revision r3', 'b changed revision r2'])
})

/** A promise, and what fulfils it. */
function held(): [Promise<void>, () => void] {
  let release = (): void => undefined
  return [new Promise((resolve) => (release = resolve)), () => release()]
}

it('tell what an answer says before what a synchronisation found while it was on its way', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  await watches.synchronise()
  all = [seen('a'), seen('b', { latest: 'r2' })]
  const [answer, arrive] = held()
  way = answer
  const round = watches.pass(30 * second)
  await expect.poll(() => requests.length).toBe(1)
  all = [seen('a', { isGone: true }), seen('b', { latest: 'r3' }), seen('c')]
  const synchronisation = watches.synchronise()
  // Nothing it does takes longer, if it doesn't wait.
  await new Promise(setImmediate)
  arrive()
  await Promise.all([round, synchronisation])
  expect(reported()).toEqual(['a gone', 'b changed revision r2', 'b changed revision r3', 'c appeared all'])
  expect(brief(state.notices.at(-1)!.entries)).toEqual(['b changed revision r2'])
})

it('take what was read of the cache in the order in which it was read', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  const [older, arrive] = held()
  reading = older
  const synchronisations = [watches.synchronise()]
  await expect.poll(() => reads).toBe(1)
  all = [seen('a'), seen('b'), seen('c')]
  synchronisations.push(watches.synchronise())
  arrive()
  await Promise.all(synchronisations)
  expect(reported()).toEqual(['c appeared all'])
})

it('ask again for what a short answer lacks, and tell what changed once, even after a restart', async () => {
  most = 1
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  await watches.addDeployment('b')
  all = [seen('a', { latest: 'r2' }), seen('b', { latest: 'r2' })]
  requests = []
  await watches.pass(30 * second)
  expect(requests.map(([, ids]) => ids)).toEqual([['a', 'b'], ['b']])
  expect(reported()).toEqual(['a changed revision r2', 'b changed revision r2'])
  expect(state.notices).toHaveLength(1)
  // Ended by a crash: what was told is on the disk.
  const again = start()
  await again.start()
  await again.pass(30 * second)
  expect(state.notices).toHaveLength(1)
  expect(bytesIn(folder)).not.toMatch(/revision|name of a/)
})

it('say that a notice is about the service before an edit', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  all = [seen('a', { latest: 'r2' })]
  await watches.pass(30 * second)
  expect(state.notices).toMatchObject([{ isElsewhere: false }])
  leads.set('e', { baseUrl: 'https://two.example', headers: {} })
  watches.noteEnvironment()
  expect(state.notices).toMatchObject([{ isElsewhere: true }])
  leads.set('e', { baseUrl: 'https://one.example', headers: {} })
  watches.noteEnvironment()
  expect(state.notices).toMatchObject([{ isElsewhere: false }])
})

it('restore what was dismissed last, in its place', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  for (const latest of ['r2', 'r3', 'r4']) {
    all = [seen('a', { latest })]
    await watches.pass(30 * second)
  }
  const before = state.notices
  await watches.answers['watches.dismiss']({ ids: before.slice(1).map(({ id }) => id) }, signal)
  all = [seen('a', { latest: 'r5' })]
  await watches.pass(30 * second)
  expect(state.notices).toHaveLength(2)
  for (let times = 0; times < 2; times += 1) await watches.answers['watches.restore']({}, signal)
  expect(state.notices.slice(1)).toEqual(before)
  await watches.answers['watches.dismiss']({ ids: before.map(({ id }) => id) }, signal)
  leads.delete('e')
  await watches.forget('e')
  await watches.answers['watches.restore']({}, signal)
  leads.set('e', { baseUrl: 'https://one.example', headers: {} })
  watches.noteEnvironment()
  expect((await watches.answers['watches.state']({}, signal)) as unknown).toMatchObject({
    value: { notices: [] },
  })
})

it('tell an outage once, and its end once', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a', true)
  connection = 'offline'
  for (let minute = 0; minute < 60; minute += 1) {
    // It answers briefly now and then.
    connection = minute % 10 === 9 ? 'online' : 'offline'
    await watches.pass(30 * second)
    connection = 'offline'
    await watches.pass(30 * second)
  }
  connection = 'online'
  for (let minute = 0; minute < 5; minute += 1) await watches.pass(60 * second)
  expect(state.notices.map(({ kind }) => kind)).toEqual(['reachable', 'unreachable'])
  expect(shown).toEqual(["e: The service can't be reached.", 'e: The service can be reached again.'])
})

it('show notifications of the system for watches that want them, but not in quiet hours', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a', true)
  await watches.addDeployment('b')
  all = [seen('a'), seen('b', { latest: 'r2' })]
  await watches.pass(30 * second)
  expect(shown).toEqual([])
  await watches.answers['watches.setQuiet']({ quiet: { from: '11:00', to: '12:02' } }, signal)
  all = [seen('a', { latest: 'r2' })]
  await watches.pass(30 * second)
  expect(shown).toEqual([])
  all = [seen('a', { latest: 'r3' })]
  await watches.pass(60 * second)
  expect(shown).toEqual(['e: name of a: New revision r3, not active yet'])
  expect(state.notices).toHaveLength(3)
})

it('accept no list that is longer than can be followed', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  all = Array.from({ length: 10_001 }, (_, index) => seen(`d${index}`))
  await watches.synchronise()
  expect(state.watches).toMatchObject([{ state: 'too-many' }])
  all = all.slice(1)
  await watches.synchronise()
  expect(state.watches).toMatchObject([{ state: 'follows', followed: 10_000 }])
  expect(state.notices).toEqual([])
})

it('store a new list on the disk at once, so that a crash loses nothing that changes afterwards', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  await watches.synchronise()
  // Ended by a crash.
  const again = start()
  await again.start()
  all = [seen('a', { latest: 'r2' }), seen('b')]
  await again.synchronise()
  expect(reported()).toEqual(['a changed revision r2'])
})

it('store a deployment on the disk as soon as it is followed', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  // Ended by a crash.
  const again = start()
  all = [seen('a', { latest: 'r2' }), seen('b')]
  await again.start()
  expect(reported()).toEqual(['a changed revision r2'])
})

it('send the page the first entries of each notice, and all of one that it asks for', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  await watches.synchronise()
  for (const count of [7, 45]) {
    all = [...all, ...Array.from({ length: count }, (_, index) => seen(`${count} ${index}`))]
    await watches.synchronise()
  }
  expect(state.notices.map(({ entries, hidden, more }) => [entries.length, hidden, more])).toEqual([
    [6, 34, 5],
    [7, 0, 0],
  ])
  const [long] = state.notices
  const whole = await watches.answers['watches.entries']({ id: long!.id }, signal)
  expect(whole.ok && whole.value).toHaveLength(40)
  expect(whole.ok && whole.value.slice(0, 6)).toEqual(long!.entries)
  expect(await watches.answers['watches.entries']({ id: 'none' }, signal)).toMatchObject({
    failure: { code: 'not-found' },
  })
})
