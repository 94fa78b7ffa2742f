import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useLiveUpdatesStore } from '@/stores/deployment-list/live-updates'
import { useStatusesStore } from '@/stores/deployment-list/statuses'
import { deploymentPage } from '../../../../support/builders/deployment-answers'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { appState, type FakeBridge, settled } from '../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let list: ReturnType<typeof useDeploymentsStore>
let statuses: ReturnType<typeof useStatusesStore>
let updates: ReturnType<typeof useLiveUpdatesStore>

beforeEach(() => {
  ;({ bridge, app } = startApp())
  list = useDeploymentsStore()
  statuses = useStatusesStore()
  updates = useLiveUpdatesStore()
})

async function count(counts: Record<string, number>, synchronisedAt: string | null = '2026-11-21T00:00:00Z') {
  void statuses.load()
  await [...bridge.calls]
    .reverse()
    .find(({ name }) => name === 'cache.statuses')
    ?.answer({
      counts: Object.entries(counts).map(([status, number]) => ({ status, count: number })),
      rollingOut: 6,
      types: ['prod', 'preview'],
      cache: { deployments: 9, gone: 0, synchronisedAt, newestAt: null },
    })
  await nextTick()
}

const requested = () =>
  bridge.calls.flatMap(({ name, input }) =>
    name === 'deployments.page' ? [(input.query as { status: string }).status] : [],
  )

it('has no counts before the first synchronisation', async () => {
  await count({ READY: 3, UNUSED: 4 }, null)
  expect(statuses.presets.map((preset) => preset.count)).toEqual([null, null])
})

it('counts everything that is not ready, statuses of the service included, and what is rolling out', async () => {
  await count({ READY: 3, UNUSED: 4, AWAITING_DATABASE: 2, AWAITING_DELETE: 5, PAUSED: 1 })
  expect(statuses.presets).toEqual([
    { label: 'Not ready', count: 12, isChosen: false },
    { label: 'Rolling out', count: 6, isChosen: false },
  ])
  expect(statuses.known).toContain('PAUSED')
})

it('offers the deployment types of the interface, those that were seen and the chosen one', async () => {
  expect(statuses.types).toEqual(['dev_free', 'dev', 'prod'])
  await count({ READY: 1 })
  expect(statuses.types).toEqual(['dev_free', 'dev', 'prod', 'preview'])
  list.filter({ deploymentType: 'of-a-view' })
  expect(statuses.types).toEqual(['dev_free', 'dev', 'prod', 'preview', 'of-a-view'])
})

it('filters by a preset, and by nothing when it is chosen again', () => {
  statuses.toggle('Not ready')
  expect(requested()).toEqual(['AWAITING_DATABASE', 'UNUSED', 'AWAITING_DELETE', 'UNKNOWN'])
  expect(statuses.presets[0]?.isChosen).toBe(true)
  statuses.toggle('Not ready')
  expect(list.filters.statuses).toEqual([])
})

it('asks the cache what is rolling out, and the service again after it', async () => {
  const cached = useCachedDeploymentsStore()
  statuses.toggle('Not ready')
  const before = requested().length
  statuses.toggle('Rolling out')
  await nextTick()
  expect(statuses.presets.map(({ isChosen }) => isChosen)).toEqual([false, true])
  expect([cached.shown, cached.tellsRollouts, list.filters.statuses]).toEqual([true, true, []])
  expect(bridge.newest('cache.page').input.request).toMatchObject({ query: { rollingOut: true } })
  expect(requested()).toHaveLength(before)
  statuses.toggle('Rolling out')
  expect([cached.shown, list.filters.rollingOut]).toEqual([false, false])
  expect(requested()).toHaveLength(before + 1)
})

it('filters the live list by status as far as that shows rollouts', () => {
  const cached = useCachedDeploymentsStore()
  statuses.toggle('Rolling out')
  cached.choose('live')
  expect([cached.shown, list.filters.rollingOut]).toEqual([false, false])
  expect(requested()).toEqual(['AWAITING_DATABASE'])
})

it('adds a status that appears later to the chosen preset', async () => {
  statuses.toggle('Not ready')
  await count({ PAUSED: 1 })
  expect(requested()).toContain('PAUSED')
  expect(statuses.presets[0]?.isChosen).toBe(true)
})

it('adds it to a list that still waits for its filters, and requests nothing', async () => {
  list.beginWith({ statuses: ['AWAITING_DATABASE', 'UNUSED', 'AWAITING_DELETE', 'UNKNOWN'] })
  list.settled = false
  await count({ PAUSED: 1 })
  expect(list.filters.statuses).toContain('PAUSED')
  expect(requested()).toEqual([])
  expect(list.settled).toBe(false)
})

it('leaves a later page where it is when a status appears', async () => {
  list.setPageSize(1)
  statuses.toggle('Not ready')
  const pages = bridge.calls.filter(({ name, input }) => {
    const { status } = (input.query ?? {}) as { status?: string }
    return name === 'deployments.page' && status !== undefined
  })
  for (const { answer, input } of pages) {
    const { status } = input.query as { status: string }
    await answer(deploymentPage([summaryOf(status, { status })]))
  }
  void list.next()
  await settled()
  expect([list.canGoBack, statuses.presets[0]?.isChosen]).toEqual([true, true])
  const before = requested().length
  await count({ PAUSED: 1 })
  expect(requested()).toHaveLength(before)
})

it('knows a chosen status that no deployment has any more', () => {
  list.filter({ statuses: ['PAUSED'] })
  expect(statuses.known).toContain('PAUSED')
  list.filter({ statuses: [] })
  expect(statuses.known).not.toContain('PAUSED')
})

it('counts again after rows that changed, and not after a re-read that changed nothing', async () => {
  const counts = () => bridge.calls.filter(({ name }) => name === 'cache.statuses').length
  const answerPage = async (status: string, fetchedAt: string) => {
    await bridge
      .newest('deployments.page')
      .answer(deploymentPage([summaryOf('one', { status })], { fetchedAt }))
    await nextTick()
  }
  void list.open()
  await answerPage('READY', '2026-11-21T00:00:00Z')
  expect(counts()).toBe(1)
  void updates.reread()
  await answerPage('READY', '2026-11-21T00:00:15Z')
  expect([counts(), list.page?.fetchedAt]).toEqual([1, '2026-11-21T00:00:15Z'])
  void updates.reread()
  await answerPage('UNUSED', '2026-11-21T00:00:30Z')
  expect(counts()).toBe(2)
})

it('leaves the filters of another environment alone', async () => {
  await count({ PAUSED: 1 })
  statuses.toggle('Not ready')
  app.state = appState('b')
  await nextTick()
  expect(list.filters.statuses).toEqual([])
  expect(statuses.presets.map((preset) => preset.count)).toEqual([null, null])
})

it('inverts the chosen statuses, and inverts them back', () => {
  list.filter({ statuses: ['UNUSED'] })
  statuses.invert()
  expect(list.filters.statuses).toEqual(['AWAITING_DATABASE', 'READY', 'AWAITING_DELETE', 'UNKNOWN'])
  expect(statuses.excluded).toEqual(['UNUSED'])
  statuses.invert()
  expect([list.filters.statuses, statuses.excluded]).toEqual([['UNUSED'], null])
})

it('leaves a status out, one more each time, and a status that appears later is not left out', async () => {
  statuses.hide('UNUSED')
  statuses.hide('READY')
  expect(statuses.excluded).toEqual(['READY', 'UNUSED'])
  await count({ PAUSED: 1 })
  expect(list.filters.statuses).toEqual(['AWAITING_DATABASE', 'AWAITING_DELETE', 'UNKNOWN', 'PAUSED'])
  expect(statuses.excluded).toEqual(['READY', 'UNUSED'])
})

it('shows all others if the only chosen status is excluded', () => {
  list.filter({ statuses: ['READY'] })
  statuses.hide('READY')
  expect(statuses.excluded).toEqual(['READY'])
})
