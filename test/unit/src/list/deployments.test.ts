import type { DeploymentPage } from '@contract'
import { noFilters } from '@contract/cache/filters'
import fc from 'fast-check'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useAppStore } from '@/app/stores/app'
import { typingPauseMs, useDeploymentsStore } from '@/features/list/deployments'
import { deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'
import { appState, type FakeBridge, type PendingCall, settled } from '../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let store: ReturnType<typeof useDeploymentsStore>

beforeEach(() => {
  vi.useFakeTimers()
  ;({ bridge, app } = startApp())
  store = useDeploymentsStore()
})

/** The newest call for a page. */
const newest = (): PendingCall => bridge.newest('deployments.page')

const query = (): Record<string, unknown> => newest().input.query as Record<string, unknown>

const page = (offset: number, nextOffset: number | null, environmentId = 'a'): DeploymentPage =>
  deploymentPage([summaryOf(`${environmentId}-${offset}`, { name: `at ${offset}` })], {
    environmentId,
    offset,
    nextOffset,
    end: nextOffset === null ? 'short' : null,
  })

async function openFirst(nextOffset: number | null = 50): Promise<void> {
  void store.open()
  await newest().answer(page(0, nextOffset))
}

const shownName = (): string | undefined => store.live.page?.deployments[0]?.name

describe('paging', () => {
  it('stays on its page when the next one fails, and tries that one again', async () => {
    await openFirst(50)
    void store.live.next()
    await newest().fail({ code: 'timeout', retryable: true })
    expect(shownName()).toBe('at 0')
    expect(store.failure?.code).toBe('timeout')
    expect(store.live.canGoBack).toBe(false)

    void store.retry()
    expect(query().offset).toBe(50)
    await newest().answer(page(50, null))
    expect(shownName()).toBe('at 50')
    expect(store.failure).toBeNull()
    expect(store.live.canGoBack).toBe(true)
  })

  it('returns to every previous page, whatever offsets a service returns', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 12 }), async (steps) => {
        setActivePinia(createPinia())
        app = useAppStore()
        app.state = appState('a')
        store = useDeploymentsStore()
        const offsets = steps.reduce<number[]>((all, step) => [...all, (all.at(-1) ?? 0) + step], [0])
        const answerAt = (index: number): Promise<void> =>
          newest().answer(page(offsets[index] ?? 0, offsets[index + 1] ?? null))
        void store.open()
        await answerAt(0)
        for (let index = 1; index < offsets.length; index += 1) {
          void store.live.next()
          await answerAt(index)
        }
        expect(store.live.canGoOn).toBe(false)
        for (let index = offsets.length - 2; index >= 0; index -= 1) {
          void store.live.previous()
          expect(query().offset).toBe(offsets[index])
          await answerAt(index)
        }
        expect(store.live.canGoBack).toBe(false)
      }),
    )
  })
})

describe('the end of the list', () => {
  /** An empty page, as a service returns after the last one. */
  const empty = (offset: number): DeploymentPage => ({
    ...page(offset, null),
    received: 0,
    deployments: [],
    end: 'empty',
  })

  it('is known once the next page is empty, and the current page stays', async () => {
    await openFirst(50)
    void store.live.next()
    await newest().answer(empty(50))
    expect(shownName()).toBe('at 0')
    expect(store.live.page?.end).toBe('empty')
    expect([store.live.canGoBack, store.live.canGoOn]).toEqual([false, false])
  })

  it('moves to the previous page if the last one is now empty', async () => {
    await openFirst(50)
    void store.live.next()
    await newest().answer(page(50, null))
    void store.refresh()
    await newest().answer(empty(50))
    expect(query().offset).toBe(0)
    await newest().answer(page(0, null))
    expect(shownName()).toBe('at 0')
    expect(store.live.canGoBack).toBe(false)
  })
})

describe('several statuses', () => {
  const pending = (status: string): PendingCall => {
    const call = [...bridge.calls]
      .reverse()
      .find(
        ({ name, input }) =>
          name === 'deployments.page' && (input.query as Record<string, unknown>).status === status,
      )
    if (!call) throw new Error(`nobody asked for ${status}`)
    return call
  }
  /** The queries of the calls from an index on. */
  const queriesFrom = (from: number) => bridge.calls.slice(from).map(({ input }) => input.query)
  const of = (ids: string[], offset: number, nextOffset: number | null): DeploymentPage => ({
    ...page(offset, nextOffset),
    received: ids.length,
    deployments: ids.map((id) => summaryOf(id, { created_at: `2026-01-${id.padStart(2, '0')}T00:00:00Z` })),
  })
  const shownIds = () => store.live.page?.deployments.map(({ id }) => id)

  it('are each read as a list, and paged as one, the newest first', async () => {
    store.pageSize = 3
    store.filter({ statuses: ['UNUSED', 'UNKNOWN'], name: 'bil' })
    await settled()
    await pending('UNUSED').answer(of(['9', '7', '5', '3'], 0, 4))
    expect(store.live.page).toBeNull()
    await pending('UNKNOWN').answer(of(['8', '2'], 0, null))
    expect(shownIds()).toEqual(['9', '8', '7'])
    expect(pending('UNUSED').input.query).toMatchObject({ name_contains: 'bil', limit: 4 })

    const before = bridge.calls.length
    void store.live.next()
    await settled()
    expect(queriesFrom(before)).toMatchObject([{ status: 'UNUSED', offset: 3 }])
    await pending('UNUSED').answer(of(['3', '1'], 3, null))
    expect(shownIds()).toEqual(['5', '3', '2'])
    expect(store.live.page?.offset).toBe(3)
    void store.live.next()
    await settled()
    expect(shownIds()).toEqual(['1'])
    expect(store.live.canGoOn).toBe(false)
    void store.live.previous()
    await settled()
    await pending('UNUSED').answer(of(['3', '1'], 3, null))
    expect(shownIds()).toEqual(['5', '3', '2'])
  })
})

it('ends at a page that brings nothing new, and stays on the page before it', async () => {
  const rows = ['1', '2'].map((rowId) => ({ ...page(0, 2).deployments[0]!, id: rowId }))
  void store.open()
  await newest().answer({ ...page(0, 2), received: 2, deployments: rows })
  void store.live.next()
  await newest().answer({ ...page(2, 4), received: 2, deployments: rows })
  expect(store.live.page).toMatchObject({ offset: 0, next: null, end: 'empty' })
  expect([store.live.canGoBack, store.live.canGoOn]).toEqual([false, false])
})

describe('filters', () => {
  it('waits for a pause in typing, and then searches once, from the first page', async () => {
    await openFirst(50)
    void store.live.next()
    await newest().answer(page(50, 100))
    for (const name of ['b', 'bi', 'bil']) {
      store.filter({ name }, 'pause')
      vi.advanceTimersByTime(typingPauseMs - 1)
    }
    expect(bridge.callsOf('deployments.page')).toHaveLength(2)
    vi.advanceTimersByTime(1)
    await settled()
    expect(bridge.callsOf('deployments.page')).toHaveLength(3)
    expect(query()).toMatchObject({ name_contains: 'bil', offset: 0 })
    await newest().answer(page(0, null))
    expect(store.live.canGoBack).toBe(false)
  })

  it('accepts only the answer to the newest request', async () => {
    await openFirst()
    store.filter({ statuses: ['READY'] })
    await settled()
    const older = newest()
    store.filter({ statuses: ['UNUSED'] })
    await settled()
    const newer = newest()
    expect(older.cancelled).toBe(true)
    await newer.answer({ ...page(0, null), fetchedAt: 'newer' })
    await older.answer({ ...page(0, null), fetchedAt: 'older' })
    expect(store.live.page?.fetchedAt).toBe('newer')
    expect(store.failure).toBeNull()
  })
})

it('a live view that is applied over the cached list asks once, with its own filters', async () => {
  store.filter({ name: 'old' })
  store.choose('cached')
  await settled()
  const before = bridge.callsOf('deployments.page').length
  store.show({
    filters: { ...noFilters(), statuses: ['UNUSED'] },
    ...{ source: 'live', sort: null, size: 20 },
  })
  await settled()
  expect(bridge.callsOf('deployments.page').slice(before)).toHaveLength(1)
  expect(query()).toEqual({ status: 'UNUSED', limit: 20, offset: 0 })
})

describe('switching environments', () => {
  it('forgets the list at once and drops answers of the environment before', async () => {
    await openFirst()
    void store.refresh()
    const stale = newest()
    app.state = appState('b')
    expect(store.live.page).toBeNull()
    expect(stale.cancelled).toBe(true)

    void store.open()
    const fresh = newest()
    expect(fresh.input.environmentId).toBe('b')
    await stale.answer(page(0, null, 'a'))
    expect(store.live.page).toBeNull()
    await fresh.answer(page(0, null, 'b'))
    expect(store.live.page?.environmentId).toBe('b')
  })

  it('remembers filters and page size of each environment, and begins at the first page', async () => {
    await openFirst()
    store.filter({ statuses: ['READY'] })
    store.pageSize = 10
    await settled()
    await newest().answer(page(0, 10))
    app.state = appState('b')
    expect(store.filters.statuses).toEqual([])
    expect(store.pageSize).toBe(50)
    app.state = appState('a')
    void store.open()
    await settled()
    expect(query()).toMatchObject({ status: 'READY', limit: 10, offset: 0 })
  })

  it('gives no search to another service that an environment leads to', async () => {
    void app.start()
    const state = appState('a')
    bridge.emit('app.state', state)
    store.filter({ name: 'secret' })
    bridge.emit('app.state', {
      ...state,
      environments: state.environments.map((one) => ({ ...one, service: `another than ${one.id}` })),
    })
    await settled()
    expect(store.filters.name).toBe('')
  })
})
