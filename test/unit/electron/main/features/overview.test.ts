import { type Connection, failure } from '@contract'
import type { CacheState } from '@contract/cache'
import { beforeEach, expect, test } from 'vitest'
import type { StoredEntry } from '../../../../../electron/main/stored/journal'
import type { AllCaches } from '../../../../../electron/main/features/all-caches'
import { accountIdentity } from '../../../../../electron/main/environments/known'
import type { HttpTarget } from '../../../../../electron/main/http/client'
import { createOverview } from '../../../../../electron/main/features/overview'

const state: CacheState = {
  deployments: 3,
  gone: 1,
  synchronisedAt: '2026-11-24T07:00:00.000Z',
  newestAt: '2026-11-24T07:05:00.000Z',
}
const counts = [{ status: 'READY', count: 2 }]
const unsettled = { deployments: [], total: 0 }

let interval: string | null
/** The requests to the caches. */
let requests: unknown[]
let entries: StoredEntry[]
/** The service that environments lead to. */
let service: string
let connection: Connection

/** Caches of `a`, which is filled, and `b`, which isn't. */
const allCaches = {
  ask: (op: string, { request }: { request?: object }, { environmentIds }: { environmentIds: string[] }) => {
    requests.push({ op, ...request })
    const value = op === 'overview' ? { counts, unsettled, interval } : { of: 'a' }
    const answers = [
      { environmentId: 'a', state: 'cached', value, cache: state },
      { environmentId: 'b', state: 'not-synchronised' },
      { environmentId: 'c', state: 'failed', failure: failure('cache', 'No.') },
    ]
    return Promise.resolve(answers.filter(({ environmentId }) => environmentIds.includes(environmentId)))
  },
} as unknown as AllCaches

const targetOf = (environmentId: string, service: string): HttpTarget => ({
  environmentId,
  baseUrl: `https://${service}.example`,
  headers: {},
})

const failed = (
  environmentId: string,
  endedAt: string,
  code: 'offline' | 'unauthorised' | 'service-error',
): StoredEntry => ({
  id: endedAt,
  kind: 'failure',
  action: 'List deployments',
  startedAt: endedAt,
  endedAt,
  environmentId,
  environmentName: environmentId,
  failure: failure(code, 'No.', { sent: code === 'offline' ? 'no' : 'answered' }),
  account: accountIdentity(targetOf(environmentId, 'one')),
})

const overview = () =>
  createOverview({
    allCaches,
    journal: { entries: () => Promise.resolve(entries) },
    targetOf: (environmentId) => targetOf(environmentId, service),
    connectionOf: (environmentId) => ({ ...connection, environmentId }),
    problemOf: (environmentId) => (environmentId === 'b' ? 'The disk is full.' : null),
  })

async function read() {
  const outcome = await overview()['overview.read'](
    { environmentIds: ['a', 'b'] },
    new AbortController().signal,
  )
  return outcome.ok ? outcome.value : []
}

beforeEach(() => {
  interval = null
  requests = []
  entries = []
  service = 'one'
  connection = { environmentId: '', state: 'unknown', at: null, reason: null }
})

test('returns what is cached of each environment, and says for which nothing is', async () => {
  expect(await read()).toEqual([
    {
      environmentId: 'a',
      reach: { state: 'reached', since: state.newestAt },
      problem: null,
      content: { state: 'cached', cache: state, counts, unsettled, intervalMinutes: 15 },
    },
    {
      environmentId: 'b',
      reach: { state: 'unknown', since: null },
      problem: 'The disk is full.',
      content: { state: 'not-synchronised' },
    },
  ])
  // One request to each cache.
  expect(requests).toEqual([{ op: 'overview' }])
})

test('says since when each service is unreachable, from the journal of earlier sessions', async () => {
  entries = [
    failed('a', '2026-11-24T07:30:00.000Z', 'offline'),
    failed('a', '2026-11-24T07:20:00.000Z', 'offline'),
    failed('b', '2026-11-24T07:10:00.000Z', 'unauthorised'),
  ]
  expect((await read()).map(({ reach }) => reach)).toEqual([
    { state: 'unreached', since: '2026-11-24T07:20:00.000Z' },
    { state: 'denied', since: '2026-11-24T07:10:00.000Z' },
  ])
})

test('ignores calls to a service that the environment no longer leads to, or may never have led to', async () => {
  entries = [failed('b', '2026-11-24T07:10:00.000Z', 'unauthorised')]
  service = 'other'
  expect((await read())[1]?.reach).toEqual({ state: 'unknown', since: null })
  service = 'one'
  expect((await read())[1]?.reach.state).toBe('denied')
  entries = entries.map((entry) => ({ ...entry, account: null }))
  expect((await read())[1]?.reach).toEqual({ state: 'unknown', since: null })
})

test('says that a service answers errors, in this session and after a restart', async () => {
  connection = { environmentId: '', state: 'online', at: '2026-11-24T07:40:00.000Z', reason: 'Broken.' }
  expect((await read())[0]?.reach).toEqual({ state: 'failing', since: '2026-11-24T07:40:00.000Z' })
  connection = { environmentId: '', state: 'unknown', at: null, reason: null }
  entries = [failed('a', '2026-11-24T07:30:00.000Z', 'service-error')]
  expect((await read())[0]?.reach).toEqual({ state: 'failing', since: '2026-11-24T07:30:00.000Z' })
})

test('returns the changes of each environment, and what is unknown about others', async () => {
  const since = '2026-11-23T08:00:00.000Z'
  const { signal } = new AbortController()
  expect(
    await overview()['overview.changes']({ environmentIds: ['a', 'b', 'c', 'gone'], since }, signal),
  ).toMatchObject({
    value: [
      { environmentId: 'a', content: { state: 'cached', changes: { of: 'a' } } },
      { environmentId: 'b', content: { state: 'not-synchronised' } },
      { environmentId: 'c', content: { state: 'failed', failure: { message: 'No.' } } },
    ],
  })
  expect(requests).toEqual([{ op: 'changes', since, after: null, limit: 100 }])
})

test('counts the statuses of one environment over time, and fails for one that is gone', async () => {
  const since = '2026-11-23T08:00:00.000Z'
  const { signal } = new AbortController()
  expect(await overview()['overview.statuses']({ environmentId: 'a', since }, signal)).toMatchObject({
    value: { environmentId: 'a', content: { state: 'cached', history: { of: 'a' } } },
  })
  expect(requests).toEqual([{ op: 'status-history', since, moments: 49 }])
  expect(await overview()['overview.statuses']({ environmentId: 'gone', since }, signal)).toMatchObject({
    failure: { code: 'not-found' },
  })
})
