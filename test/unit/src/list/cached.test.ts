import type { CachedPage, SyncState } from '@contract/cache'
import { nextTick } from 'vue'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useAppStore } from '@/app/stores/app'
import { chunkSize } from '@/features/list/readers'
import { cachePauseMs, useDeploymentsStore } from '@/features/list/deployments'
import { appState, type FakeBridge, type PendingCall, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

const total = 100_000

let bridge: FakeBridge
let store: ReturnType<typeof useDeploymentsStore>
let answered: Set<PendingCall>

beforeEach(() => {
  vi.useFakeTimers()
  bridge = startApp().bridge
  store = useDeploymentsStore()
  answered = new Set()
})

const requests = (): PendingCall[] => bridge.callsOf('cache.page')
const waiting = (): PendingCall[] => requests().filter((call) => !answered.has(call))
const request = (call: PendingCall) =>
  call.input.request as { offset: number; snapshot: string | null; query: { search: string } }

/** Answers a call with as many rows as it requests. */
async function answer(call: PendingCall, snapshot = 'first'): Promise<void> {
  answered.add(call)
  const { offset } = request(call)
  const deployments = Array.from({ length: chunkSize }, (_, index) => ({
    id: `${snapshot}-${offset + index}`,
  }))
  const page = { snapshot, total, offset, deployments, cache: null } as unknown as CachedPage
  await call.answer(page)
}

/** Answers calls until there are no more. */
async function answerAll(snapshot = 'first'): Promise<void> {
  for (let next = waiting()[0]; next; next = waiting()[0]) await answer(next, snapshot)
}

async function showCopy(): Promise<void> {
  store.choose('cached')
  await nextTick()
  await answerAll()
}

const source = () => [store.source.isCached, store.source.why]
const idAt = (index: number): string | undefined => store.rows.at(index)?.id

describe('the cached list', () => {
  it('reads the rows in view, wherever they are', async () => {
    await showCopy()
    expect(idAt(0)).toBe('first-0')

    for (let first = 0; first < total; first += 2_500) {
      store.cached.want(first, first + 60)
      await answerAll()
      expect(idAt(first)).toBe(`first-${first}`)
      expect(idAt(first + 59)).toBe(`first-${first + 59}`)
    }
    expect(idAt(total - 2_500)).toBeDefined()
  })

  it('shows rows of one snapshot only', async () => {
    await showCopy()
    store.cached.want(5_000, 5_060)
    await answerAll()
    store.cached.want(9_000, 9_060)
    await answerAll('second')
    expect(idAt(9_000)).toBe('second-9000')
    expect(idAt(5_000)).toBeUndefined()
  })

  it('keeps its position when a synchronisation ends, and starts again with another search', async () => {
    await showCopy()
    store.cached.want(5_000, 5_060)
    await answerAll()
    const state = { environmentId: 'a', progress: null, cache: null } as unknown as SyncState
    bridge.emit('sync.changed', { ...state, progress: { covered: 1 } })
    bridge.emit('sync.changed', state)
    await nextTick()
    expect(waiting().map((call) => request(call).offset)).toEqual([5_000])
    await answerAll('second')
    expect(idAt(5_000)).toBe('second-5000')

    store.filter({ name: 'api' })
    await nextTick()
    expect(waiting().map((call) => request(call).offset)).toEqual([0])
  })

  it('waits for a pause in typing, and does not call the service', async () => {
    await showCopy()
    bridge.calls.length = 0
    for (const text of ['a', 'ap', 'api']) {
      store.filter({ name: text }, 'pause')
      vi.advanceTimersByTime(cachePauseMs - 1)
      await settled()
    }
    expect(bridge.calls).toEqual([])
    vi.advanceTimersByTime(1)
    await settled()
    expect(bridge.calls.map((call) => [call.name, request(call).query.search])).toEqual([
      ['cache.page', 'api'],
    ])

    // Going back to the service shows the first page of the search.
    store.choose('live')
    await settled()
    const query = bridge.callsOf('deployments.page')[0]?.input.query
    expect(query).toMatchObject({ offset: 0, name_contains: 'api' })
  })
})

describe('a list that the operator did not request from the cache', () => {
  const setConnection = async (state: 'online' | 'offline') => {
    useAppStore().state = {
      ...appState('a'),
      connection: { environmentId: 'a', state, at: null, reason: null },
    }
    await nextTick()
  }
  /** Fills the cache, as far as the page knows. */
  async function fillCache(): Promise<void> {
    bridge.emit('sync.changed', {
      environmentId: 'a',
      progress: null,
      cache: { deployments: 9, gone: 0, synchronisedAt: '2026-11-21T00:00:00Z', newestAt: null },
    })
    await nextTick()
  }
  const livePages = () => bridge.callsOf('deployments.page')

  it('sorts the live list, whose search still means names, until the order is removed', async () => {
    store.filter({ name: 'api' })
    await nextTick()
    store.setSort({ by: 'name', descending: false })
    await nextTick()
    expect(source()).toEqual([true, 'sort'])
    expect(request(requests().at(-1)!).query).toMatchObject({
      filters: { name_contains: 'api' },
      sort: { by: 'name' },
    })
    store.setSort(null)
    expect(source()).toEqual([false, 'chosen'])
    await nextTick()
    expect(livePages()).toHaveLength(2)
  })

  it('keeps a search from an outage when the service is back, until the search ends', async () => {
    await fillCache()
    await setConnection('offline')
    expect(store.isCached).toBe(true)
    store.filter({ name: 'a repository' })
    await nextTick()
    await setConnection('online')
    expect(source()).toEqual([true, 'search'])
    expect(livePages()).toEqual([])
    store.filter({ name: '' })
    await nextTick()
    expect(source()).toEqual([false, 'chosen'])
    expect(livePages()).toHaveLength(1)
  })
})

it('shows a remembered sorted list only if the cache is complete', async () => {
  const synchronise = async (synchronisedAt: string | null) => {
    const cache = { deployments: 9, gone: 0, synchronisedAt, newestAt: null }
    bridge.emit('sync.changed', { environmentId: 'a', progress: null, cache })
    await settled()
  }
  store.setSort({ by: 'name', descending: false })
  expect(store.isCached).toBe(true)
  await nextTick()
  await synchronise(null)
  expect(store.isCached).toBe(false)
  expect(bridge.callsOf('deployments.page')).toHaveLength(1)
  await synchronise('2026-11-21T00:00:00Z')
  expect([...source(), store.sort.by]).toEqual([true, 'sort', 'name'])
})

it('searches notes and labels too, and reads nothing again if other notes change', async () => {
  const annotations = useAnnotationsStore()
  void annotations.open()
  const note = (deploymentId: string, text: string) => ({
    ...{ deploymentId, name: '', favourite: false, labels: ['Friday'] },
    note: text,
  })
  await bridge.newest('annotations.list').answer([note('1', 'Roll back'), note('2', '')])
  store.choose('cached')
  store.filter({ name: 'friday back' })
  await nextTick()
  expect(bridge.newest('cache.page').input.request).toMatchObject({ query: { noted: ['1'] } })
  await answerAll()
  const before = requests().length
  void annotations.load()
  await bridge.newest('annotations.list').answer([note('1', 'Roll back'), note('2', 'changed')])
  await nextTick()
  expect(requests()).toHaveLength(before)
})
