import { noLastFilters } from '@contract/app/personal/no-last-filters'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { useAnnotationsStore } from '@/stores/annotations/annotations'
import { useAppStore } from '@/stores/application/app'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useChoicesStore } from '@/stores/application/choices'
import { typingPauseMs, useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { noFilters } from '@/stores/deployment-list/reading/filters'
import { useLastFiltersStore } from '@/stores/deployment-list/saved/last-filters'
import { appState, type FakeBridge } from '../../../../../support/page/fake-bridge'
import { startApp } from '../../../../../support/page/start-app'

let bridge: FakeBridge

beforeEach(() => {
  vi.useFakeTimers()
  bridge = startApp().bridge
})
afterEach(() => {
  vi.useRealTimers()
})

/** A start in environment "a" with these environments' choices. */
async function start(lists: object = {}) {
  const choices = useChoicesStore()
  const starting = choices.start()
  await bridge.newest('choices.read').answer({ refreshSeconds: 15, lists })
  await starting
  const list = useDeploymentsStore()
  return { list, choices, cached: useCachedDeploymentsStore(), last: useLastFiltersStore() }
}

/** An environment whose list was left with nothing else. */
const left = {
  data: null,
  sort: null,
  pageSize: null,
  statuses: [],
  deploymentType: null,
  remoteReconciled: null,
  hasLastFilters: true,
}
const withMore = { a: left }
const savedChoices = () => bridge.newest('choices.save').input as { lists: Record<string, object> }

describe('a start', () => {
  it('waits for nothing if the list was left without them', async () => {
    const { list, last } = await start({ a: { ...left, hasLastFilters: false } })
    expect(list.settled).toBe(true)
    await last.restore()
    expect(bridge.callsOf('lastFilters.read')).toEqual([])
  })

  it('loads the list with what was typed, and with no request before', async () => {
    const { list, cached, last } = await start(withMore)
    expect(list.settled).toBe(false)
    void last.restore()
    void last.restore()
    expect(bridge.callsOf('lastFilters.read').map(({ input }) => input)).toEqual([{ environmentId: 'a' }])
    await bridge.newest('lastFilters.read').answer({ ...noLastFilters, name: 'billing', imageVersion: 'v1' })
    expect(list.settled).toBe(true)
    expect(list.filters).toMatchObject({ name: 'billing', imageVersion: 'v1' })
    expect(list.applied).toMatchObject({ name: 'billing' })
    expect(cached.query.search).toBe('billing')
    expect([...bridge.callsOf('deployments.page'), ...bridge.callsOf('cache.page')]).toEqual([])
    void list.open()
    expect(bridge.newest('deployments.page').input).toMatchObject({ query: { name_contains: 'billing' } })
  })

  it('waits for them even if the connection returns meanwhile', async () => {
    const { list, last } = await start(withMore)
    void last.restore()
    list.comeBack()
    expect([list.settled, bridge.callsOf('deployments.page')]).toEqual([false, []])
    await bridge.newest('lastFilters.read').answer({ ...noLastFilters, name: 'billing' })
    expect([list.settled, list.filters.name]).toEqual([true, 'billing'])
  })

  it('applies what was typed right before the list was requested', async () => {
    const { list } = await start()
    list.filters.name = 'typed'
    await nextTick()
    void list.open()
    expect(list.applied).toMatchObject({ name: 'typed' })
    expect(bridge.newest('deployments.page').input).toMatchObject({ query: { name_contains: 'typed' } })
  })

  it('reads favourites and labels before a list of them is loaded', async () => {
    const { list, last } = await start(withMore)
    void last.restore()
    await bridge.newest('lastFilters.read').answer({ ...noLastFilters, favourites: true, label: 'mine' })
    expect(list.settled).toBe(false)
    const annotation = { deploymentId: 'd-1', name: 'agent', favourite: true, labels: ['mine'], note: '' }
    await bridge.newest('annotations.list').answer([annotation])
    expect([list.settled, list.filters.favourites, list.filters.label]).toEqual([true, true, 'mine'])
    expect(list.annotatedIds).toEqual(['d-1'])
    expect(bridge.callsOf('deployments.page')).toEqual([])
  })

  it('shows all if favourites can’t be read, and keeps what was typed', async () => {
    const { list, last } = await start(withMore)
    void last.restore()
    await bridge.newest('lastFilters.read').answer({ ...noLastFilters, name: 'billing', favourites: true })
    await bridge.newest('annotations.list').fail({ code: 'internal' })
    expect(useAnnotationsStore().byId).toBeNull()
    expect([list.settled, list.filters.name, list.filters.favourites]).toEqual([true, 'billing', false])
  })

  it.each(['nothing', 'a failure'])('continues without them after %s', async (answer) => {
    const { list, last } = await start(withMore)
    void last.restore()
    if (answer === 'nothing') await bridge.newest('lastFilters.read').answer(null)
    else await bridge.newest('lastFilters.read').fail({ code: 'keychain-locked' })
    expect([list.settled, list.filtered]).toEqual([true, false])
  })

  it('does not change a list that was filtered meanwhile, such as by a view', async () => {
    const { list, last } = await start(withMore)
    void last.restore()
    list.showAs({ ...noFilters(), statuses: ['READY'] }, 20)
    await bridge.newest('lastFilters.read').answer({ ...noLastFilters, name: 'billing' })
    expect(list.filters).toMatchObject({ name: '', statuses: ['READY'] })
  })

  it('has the cache search again what was typed for it while offline', async () => {
    const { cached, last } = await start(withMore)
    void last.restore()
    await bridge
      .newest('lastFilters.read')
      .answer({ ...noLastFilters, name: 'main team', searchesCache: true })
    await nextTick()
    expect([cached.chosen, cached.reason, cached.query.search]).toEqual(['cached', 'search', 'main team'])
  })
})

describe('another environment', () => {
  it('gets nothing of the previous one, but what it was left with itself', async () => {
    const { list, last } = await start({ ...withMore, b: left })
    void last.restore()
    const early = bridge.newest('lastFilters.read')
    useAppStore().state = appState('b')
    expect(list.settled).toBe(false)
    void last.restore()
    await early.answer({ ...noLastFilters, name: 'of a' })
    expect([list.settled, list.filters.name]).toEqual([false, ''])
    expect(bridge.newest('lastFilters.read').input).toEqual({ environmentId: 'b' })
    await bridge.newest('lastFilters.read').answer({ ...noLastFilters, name: 'of b' })
    expect([list.settled, list.filters.name]).toEqual([true, 'of b'])

    // "a" was left before it had them, so that it reads them again.
    useAppStore().state = appState('a')
    expect([list.settled, list.filters.name]).toEqual([false, ''])
    useAppStore().state = appState('b')
    expect([list.settled, list.filters.name]).toEqual([true, 'of b'])
  })
})

describe('what is typed', () => {
  it('is saved once typing pauses, and the unencrypted file says only that there is more', async () => {
    const { list } = await start()
    list.filter({ name: 'bil' }, 'pause')
    list.filter({ name: 'billing' }, 'pause')
    await nextTick()
    expect(bridge.callsOf('lastFilters.save')).toEqual([])
    vi.advanceTimersByTime(typingPauseMs)
    await nextTick()
    expect(bridge.callsOf('lastFilters.save').map(({ input }) => input)).toEqual([
      { environmentId: 'a', service: 'a', filters: { ...noLastFilters, name: 'billing' } },
    ])
    expect(savedChoices().lists['a']).toMatchObject({ hasLastFilters: true })
    expect(JSON.stringify(savedChoices())).not.toContain('billing')
  })

  it('is forgotten once it is cleared', async () => {
    const { list, choices } = await start()
    list.filter({ label: 'mine' })
    await nextTick()
    list.filter(noFilters())
    await nextTick()
    expect(bridge.newest('lastFilters.save').input).toMatchObject({ filters: noLastFilters })
    expect(choices.listOf('a')?.hasLastFilters).toBe(false)
  })

  it('is not asked for or saved by an environment that has none', async () => {
    const { list } = await start()
    list.filter({ statuses: ['READY'] })
    useAppStore().state = appState('b')
    await nextTick()
    expect(bridge.callsOf('lastFilters.save')).toEqual([])
  })

  it('says whether it was typed for the cache', async () => {
    const { list, cached } = await start()
    const setConnection = async (state: 'online' | 'offline') => {
      const connection = { environmentId: 'a', state, at: null, reason: null }
      useAppStore().state = { ...appState('a'), connection }
      await nextTick()
    }
    bridge.emit('sync.changed', {
      environmentId: 'a',
      progress: null,
      cache: { deployments: 9, gone: 0, synchronisedAt: null, newestAt: null },
    })
    await setConnection('offline')
    expect(cached.shown).toBe(true)
    list.filter({ name: 'main team' })
    await nextTick()
    expect(bridge.newest('lastFilters.save').input).toMatchObject({ filters: { searchesCache: true } })
    await setConnection('online')
    expect(cached.reason).toBe('search')
    list.filter({ name: 'main teams' })
    await nextTick()
    expect(bridge.newest('lastFilters.save').input).toMatchObject({ filters: { searchesCache: true } })
    cached.choose('live')
    list.filter({ name: 'main' })
    await nextTick()
    expect(bridge.newest('lastFilters.save').input).toMatchObject({ filters: { searchesCache: false } })
  })
})
