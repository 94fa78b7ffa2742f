import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CallInput, type Connection, fail, failure, type Failure, succeed } from '@contract'
import type { SyncState, WatchesState } from '@contract/cache'
import { watchLimits } from '@contract/cache/watches/watch-limits'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Environments } from '../../../../../../electron/main/environments'
import { createWatches, type Watches } from '../../../../../../electron/main/features/watches'
import { bytesElsewhere } from '../../../../../../electron/main/features/watches/followed-bytes'
import type { Memory } from '../../../../../../electron/main/features/watches/memory'
import { withNotices } from '../../../../../../electron/main/features/watches/notices'
import type { StoredNotice } from '@contract/ipc/watches-file'
import { openWatchesFile } from '../../../../../../electron/main/features/watches/file'
import type { Seen } from '../../../../../../electron/main/features/watches/rules/types'
import { nodeFiles } from '../../../../../../electron/main/files'
import { encryptedFile } from '../../../../../../electron/main/files/encrypted-file'
import { encrypt } from '../../../../../../electron/main/files/encryption'
import { jsonBody } from '../../../../../support/builders/json-body'
import { environmentsLeading, type Leads } from '../../../../../support/main/personal-file'
import { brief, seen } from '../../../../../support/builders/watched'
import { cachedFromSeen } from '../../../../../support/cache/watched-cache'
import { temporaryFolder } from '../../../../../support/temporary-folder'

const key = 'ab'.repeat(32)
const second = 1_000

let folder: string
let leads: Map<string, Leads>
let current: string
let connection: Connection['state']
let at: number
let all: Seen[]
/** How many deployments the service answers at once. */
let most: number
/** Why the service answers nothing about identifiers; null if it does. */
let refuses: (ids: string[]) => Failure | null
/** What the service was asked for: base URL and identifiers. */
let requests: [string, string[]][]
/** When the cache was synchronised last (ISO 8601). */
let synchronisedAt: string | null
let state: WatchesState
let shown: string[]
let notices: (string | null)[]
let running: Watches[]

beforeEach(() => {
  folder = temporaryFolder()
  leads = new Map([['e', { baseUrl: 'https://one.example', headers: {} }]])
  current = 'e'
  connection = 'online'
  at = new Date(2026, 10, 24, 12).getTime()
  all = [seen('a'), seen('b')]
  most = 100
  refuses = () => null
  requests = []
  synchronisedAt = null
  shown = []
  notices = []
  running = []
})
afterEach(async () => {
  for (const watches of running) await watches.close()
})

function start({ isShown = true, theirKey = key, files = nodeFiles } = {}) {
  const { environments: known, serviceOf } = environmentsLeading(leads)
  const environments = {
    ...known,
    state: () => ({ ...known.state(), currentEnvironmentId: current }),
    ready: (id: string) => Promise.resolve(succeed(known.destination(id))),
  } as unknown as Environments
  const watches = createWatches({
    stored: openWatchesFile({
      file: encryptedFile(join(folder, 'watches.sealed'), files),
      keys: { keyFor: () => Promise.resolve(succeed(theirKey)) },
      notice: (text) => notices.push(text),
      regained: () => undefined,
      report: () => undefined,
    }),
    environments,
    cache: cachedFromSeen(
      () => all,
      () => synchronisedAt,
    ),
    http: {
      request: ({ target, query }) => {
        const ids = (query?.get('deployment_ids') ?? '').split(',')
        requests.push([target.baseUrl, ids])
        const refused = refuses(ids)
        if (refused) return Promise.resolve(fail(refused))
        const found = all.filter(({ id, isGone }) => ids.includes(id) && !isGone).slice(0, most)
        const deployments = found.map(({ latest, active, ...one }) => ({
          ...one,
          latest_revision_id: latest,
          active_revision_id: active,
        }))
        const body = jsonBody({ resources: deployments, offset: deployments.length })
        return Promise.resolve(succeed({ status: 200, body, durationMs: 1 }))
      },
    },
    stateOf: () => connection,
    isShown: () => isShown,
    isOwn: () => false,
    notify: ({ title, body }) => shown.push(`${title}: ${body}`),
    changed: (now) => (state = now),
    report: (error) => {
      throw error
    },
    now: () => at,
    monotonic: () => at,
  })
  running.push(watches)
  const { calls } = watches
  const add = (on: CallInput<'watches.add'>['on'], system = false) =>
    calls['watches.add']({
      environmentId: current,
      service: serviceOf(current),
      on,
      tells: ['changed', 'appeared', 'gone', 'stuck', 'active'],
      stuckMinutes: 30,
      system,
    })
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

/** A service with this number of followed deployments. */
const ofService = (environmentId: string, count: number) => ({
  environmentId,
  service: environmentId,
  followed: new Map(
    Array.from({ length: count }, (_, index) => {
      const { id, name: _name, ...one } = seen(`d${index}`)
      return [id, { ...one, by: [], pending: null, inactiveSince: null, told: [] }] as const
    }),
  ),
})

const reported = (): string[] => state.notices.flatMap(({ entries }) => brief(entries)).sort()
const countTold = (): number =>
  state.notices.reduce((sum, { entries, hidden, more }) => sum + entries.length + hidden + more, 0)
const everything = { kind: 'list', name: 'all', query: { filters: {}, search: '' } } as const

it('request only what is watched, every 30 seconds in view and every two minutes otherwise', async () => {
  const inView = start()
  await inView.start()
  await inView.addDeployment('a')
  expect(requests).toEqual([['https://one.example', ['a']]])
  await inView.pass(29 * second)
  expect(requests).toHaveLength(1)
  await inView.pass(second)
  expect(requests).toHaveLength(2)
  await inView.close()
  const hidden = start({ isShown: false })
  await hidden.start()
  requests = []
  await hidden.pass(119 * second)
  expect(requests).toHaveLength(0)
  await hidden.pass(second)
  expect(requests).toHaveLength(1)
})

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

it('start no built-in service', async () => {
  current = 'built-in-cloud'
  leads.set(current, { baseUrl: '', headers: {} })
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  expect(requests).toEqual([])
  leads.set(current, { baseUrl: 'http://127.0.0.1:4000', headers: {} })
  await watches.pass(30 * second)
  expect(requests).toEqual([['http://127.0.0.1:4000', ['a']]])
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
  expect(await watches.calls['watches.follow']({ id, service: 'of before the edit' })).toMatchObject({
    failure: { code: 'environment-changed' },
  })
  await watches.calls['watches.follow']({ id, service: watches.serviceOf('e') })
  await watches.pass(second)
  expect(requests).toEqual([['https://two.example', ['a']]])
  expect(state.watches).toMatchObject([{ id, state: 'follows' }])
  // The state at that service makes no notice.
  expect(reported()).toEqual([])
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
  expect(await readFile(join(folder, 'watches.sealed'), 'latin1')).not.toMatch(/revision|name of a/)
})

it('tell what happens at a service that fails now and then, or refuses one identifier', async () => {
  all = Array.from({ length: 250 }, (_, index) => seen(`d${index}`))
  const watches = start()
  await watches.start()
  await watches.add(everything)
  await watches.synchronise()
  // The last batch of a round never succeeds.
  refuses = (ids) => (ids.includes('d249') ? failure('service-error', 'It failed.') : null)
  all = all.map((one) => seen(one.id, { latest: 'r2' }))
  await watches.pass(30 * second)
  expect(countTold()).toBe(200)

  refuses = (ids) => (ids.includes('d7') || ids.includes('d211') ? failure('bad-request', 'No.') : null)
  await watches.pass(30 * second)
  // The one that it refuses from the start stays unknown, and does not prevent notices about the others.
  expect(countTold()).toBe(249)
  requests = []
  refuses = () => failure('bad-request', 'It refuses everything.')
  await watches.pass(30 * second)
  expect(requests.length).toBeLessThan(60)
  refuses = () => failure('offline', 'It is away.')
  requests = []
  await watches.pass(30 * second)
  expect(requests).toHaveLength(1)
})

it('tell about every other one of a service that refuses many identifiers, and those once it takes them', async () => {
  all = Array.from({ length: 100 }, (_, index) => seen(`d${index}`))
  const watches = start()
  await watches.start()
  for (const { id } of all) await watches.add({ kind: 'deployment', deploymentId: id, name: id })
  for (let round = 0; round < 2; round += 1) await watches.pass(30 * second)
  const isRefused = (id: string): boolean => Number(id.slice(1)) % 8 === 3
  refuses = (ids) => (ids.some(isRefused) ? failure('bad-request', 'No.') : null)
  all = all.map((one) => seen(one.id, { latest: 'r2' }))
  for (let round = 0; round < 4; round += 1) await watches.pass(30 * second)
  expect(countTold()).toBe(87)
  requests = []
  await watches.pass(30 * second)
  expect(requests.length).toBeLessThan(10)
  refuses = () => null
  for (let round = 0; round < 5; round += 1) await watches.pass(30 * second)
  expect(countTold()).toBe(100)
})

it('tell nothing about the time when nothing was watched', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  await watches.addDeployment('b')
  await watches.calls['watches.remove']({ ids: [state.watches[0]!.id] })
  all = [seen('a', { latest: 'r5', active: 'r5' }), seen('b')]
  await watches.pass(30 * second)
  await watches.addDeployment('a')
  await watches.pass(60 * second)
  expect(reported()).toEqual([])
  all = [seen('a', { latest: 'r6', active: 'r5' }), seen('b')]
  await watches.pass(60 * second)
  expect(reported()).toEqual(['a changed revision r6'])
})

it('write nothing while nothing changes', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  await watches.synchronise()
  await watches.pass(30 * second)
  await watches.close()
  await rm(join(folder, 'watches.sealed'))
  for (let round = 0; round < 3; round += 1) {
    await watches.pass(30 * second)
    await watches.synchronise()
  }
  await watches.close()
  expect(await readdir(folder)).toEqual([])
})

it('begin a list whose synchronisations never settle, without reporting as new what they missed', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  all = [seen('a')]
  await watches.synchronise('unsettled')
  expect(state.watches).toMatchObject([{ state: 'unsettled', followed: 1 }])
  all = [seen('a', { latest: 'r2' }), seen('b')]
  await watches.synchronise('unsettled')
  expect(reported()).toEqual(['a changed revision r2'])
  all = [seen('a', { isGone: true }), seen('b'), seen('c')]
  await watches.synchronise()
  expect(state.watches).toMatchObject([{ state: 'follows', followed: 2 }])
  expect(reported()).toEqual(['a changed revision r2', 'a gone'])
  all = [seen('b'), seen('c'), seen('d')]
  await watches.synchronise('unsettled')
  expect(reported()).toContain('d appeared all')
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
  await watches.calls['watches.dismiss']({ ids: before.slice(1).map(({ id }) => id) })
  all = [seen('a', { latest: 'r5' })]
  await watches.pass(30 * second)
  expect(state.notices).toHaveLength(2)
  for (let times = 0; times < 2; times += 1) await watches.calls['watches.restore']({})
  expect(state.notices.slice(1)).toEqual(before)
  await watches.calls['watches.dismiss']({ ids: before.map(({ id }) => id) })
  leads.delete('e')
  await watches.forget('e')
  await watches.calls['watches.restore']({})
  leads.set('e', { baseUrl: 'https://one.example', headers: {} })
  watches.noteEnvironment()
  expect((await watches.calls['watches.state']({})) as unknown).toMatchObject({ value: { notices: [] } })
})

it('tell no outage of less than a minute, whatever the clock or a restart does', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  connection = 'offline'
  await watches.pass(second)
  await watches.close()
  at += 86_400 * second
  connection = 'unknown'
  const again = start()
  await again.start()
  connection = 'offline'
  await again.pass(second)
  expect(state.notices).toEqual([])
  await again.pass(60 * second)
  expect(state.notices.map(({ kind }) => kind)).toEqual(['unreachable'])
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
  await watches.calls['watches.setQuiet']({ quiet: { from: '11:00', to: '12:02' } })
  all = [seen('a', { latest: 'r2' })]
  await watches.pass(30 * second)
  expect(shown).toEqual([])
  all = [seen('a', { latest: 'r3' })]
  await watches.pass(60 * second)
  expect(shown).toEqual(['e: name of a: New revision r3, not active yet'])
  expect(state.notices).toHaveLength(3)
})

it('follow a list from its first complete synchronisation on, in one notice each', async () => {
  const watches = start()
  await watches.start()
  await watches.add(everything)
  expect(state.watches).toMatchObject([{ state: 'waits' }])
  await watches.synchronise()
  expect(state.watches).toMatchObject([{ state: 'follows', followed: 2 }])
  all = [seen('a', { isGone: true }), seen('b', { latest: 'r2' }), seen('c')]
  await watches.synchronise()
  expect(state.notices).toHaveLength(1)
  expect(reported()).toEqual(['a gone', 'b changed revision r2', 'c appeared all'])
  // Nothing is left of an environment that was removed.
  await watches.forget('e')
  expect(state).toMatchObject({ watches: [], notices: [] })
  expect(watches.environments()).toEqual([])
})

it('begin a list at once if its cache is fresh, and with the next synchronisation if it is old', async () => {
  const watches = start()
  await watches.start()
  synchronisedAt = new Date(at - 3_601 * second).toISOString()
  await watches.add(everything)
  await watches.add({ ...everything, name: 'again' })
  expect(state.watches.map(({ state: one }) => one)).toEqual(['waits', 'waits'])
  synchronisedAt = new Date(at - 600 * second).toISOString()
  await watches.add({ ...everything, name: 'fresh' })
  await expect.poll(() => state.watches.at(-1)).toMatchObject({ state: 'follows', followed: 2 })
  expect(state.notices).toEqual([])
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

it('accept no list that would fill the file, so that everything else is stored and can be changed', async () => {
  leads.set('f', { baseUrl: 'https://two.example', headers: {} })
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  const revision = 'r'.repeat(490)
  const long = (index: number): Seen =>
    seen(`${'i'.repeat(480)}${index}`, { latest: revision, active: revision, runs: 'x'.repeat(80) })
  all = [seen('a'), ...Array.from({ length: 9_000 }, (_, index) => long(index))]
  await watches.add(everything)
  await watches.synchronise()
  expect(state.watches).toMatchObject([{ state: 'follows' }, { state: 'too-many' }])
  // What remains of them fits, whatever changes.
  all = all.slice(0, 2_001)
  await watches.synchronise()
  expect(state.watches).toMatchObject([{ state: 'follows' }, { state: 'follows', followed: 2_001 }])
  all = all.map((one) => ({ ...one, status: 'AWAITING_DATABASE', latest: 's'.repeat(490) }))
  await watches.synchronise()
  expect(state).toMatchObject({ problem: null, notices: [{ more: 1_961 }] })
  expect(await watches.calls['watches.dismiss']({ ids: state.notices.map(({ id }) => id) })).toMatchObject({
    ok: true,
  })
  // The same for all services together.
  const memory = { services: ['e', 'f', 'g'].map((id) => ofService(id, 3_000)) } as unknown as Memory
  const left = watchLimits.bytes.all - bytesElsewhere(memory, memory.services[0]!)
  expect(left).toBeLessThan(
    watchLimits.bytes.all - 2 * JSON.stringify([...memory.services[1]!.followed]).length,
  )
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

it('keep unread notices of an environment even if another one produces many', () => {
  const of = (environmentId: string, index: number, isRead = false) =>
    ({ id: `${environmentId} ${index}`, environmentId, isRead }) as unknown as StoredNotice
  const quiet = [of('production', 1), of('production', 2, true)]
  const many = Array.from({ length: 400 }, (_, index) => of('flapping', index))
  const remaining = many.reduce((notices, one) => withNotices(notices, [one]), quiet)
  expect(remaining).toHaveLength(watchLimits.notices)
  expect(remaining[0]?.id).toBe('flapping 399')
  expect(remaining.at(-1)?.id).toBe('production 1')
})

it('show no notice that the disk refuses, and show it once it can be written', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a', true)
  all = [seen('a', { latest: 'r2' })]
  await rm(folder, { recursive: true })
  await watches.pass(30 * second)
  expect(state.problem).toContain("couldn't be written to disk")
  expect([state.notices, shown]).toEqual([[], []])
  await mkdir(folder)
  await watches.pass(30 * second)
  expect(reported()).toEqual(['a changed revision r2'])
  expect(shown).toHaveLength(1)
  await watches.pass(30 * second)
  expect(state.notices).toHaveLength(1)
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
  const whole = await watches.calls['watches.entries']({ id: long!.id })
  expect(whole.ok && whole.value).toHaveLength(40)
  expect(whole.ok && whole.value.slice(0, 6)).toEqual(long!.entries)
  expect(await watches.calls['watches.entries']({ id: 'none' })).toMatchObject({
    failure: { code: 'not-found' },
  })
})

it('change nothing that the disk refuses', async () => {
  const watches = start()
  await watches.start()
  await watches.addDeployment('a')
  await rm(folder, { recursive: true })
  const refused = await watches.calls['watches.remove']({ ids: [state.watches[0]!.id] })
  expect(refused).toMatchObject({ ok: false, failure: { code: 'internal' } })
  expect(state.watches).toHaveLength(1)
  expect(state.problem).toContain("couldn't be written to disk")
  await mkdir(folder)
  await watches.pass(5 * second)
  expect(state.problem).toBeNull()
  expect(await readdir(folder)).toEqual(['watches.sealed'])
})

it('read their file again after the disk refused it at the start, and tell what changed meanwhile', async () => {
  const first = start()
  await first.start()
  await first.addDeployment('a')
  await first.close()
  let refuses = true
  const read: typeof nodeFiles.read = (path) =>
    refuses ? Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) : nodeFiles.read(path)
  const again = start({ files: { ...nodeFiles, read } })
  await again.start()
  await again.pass(5 * second)
  expect(state).toMatchObject({ isRead: false, problem: expect.stringContaining('disk (EIO)') as string })
  all = [seen('a', { latest: 'r2' })]
  refuses = false
  await again.pass(5 * second)
  expect(state).toMatchObject({ isRead: true, problem: null })
  expect(reported()).toEqual(['a changed revision r2'])
})

it('set aside a file that they cannot read, restore it with its key, and leave a newer one alone', async () => {
  const first = start()
  await first.start()
  await first.addDeployment('a')
  await first.close()
  const other = start({ theirKey: 'cd'.repeat(32) })
  await other.start()
  expect(notices.at(-1)).toContain("couldn't be read")
  expect(state.watches).toEqual([])
  await other.addDeployment('b')
  await other.close()
  await rm(join(folder, 'watches.sealed'))
  const again = start()
  await again.start()
  await again.addDeployment('c')
  expect(state.watches.map(({ on }) => on.kind === 'deployment' && on.deploymentId)).toEqual(['a', 'c'])
  expect(await readdir(folder)).toEqual(['watches.sealed'])
  await again.close()

  await writeFile(join(folder, 'watches.sealed'), encrypt('{"version":2}', key, 'watches.sealed'))
  const newer = start()
  await newer.start()
  expect(state.problem).toContain('newer version')
  expect(await newer.addDeployment('d')).toMatchObject({ failure: { code: 'internal' } })
  expect(newer.environments()).toBeNull()
})
