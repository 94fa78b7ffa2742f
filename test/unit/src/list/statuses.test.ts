import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useStatusesStore } from '@/features/list/statuses'
import { useSyncStore } from '@/app/stores/sync'
import { type FakeBridge } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let list: ReturnType<typeof useDeploymentsStore>
let statuses: ReturnType<typeof useStatusesStore>

beforeEach(() => {
  bridge = startApp().bridge
  list = useDeploymentsStore()
  statuses = useStatusesStore()
})

async function count(counts: Record<string, number>, synchronisedAt: string | null = '2026-11-21T00:00:00Z') {
  useSyncStore().ended += 1
  await nextTick()
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

it('asks the cache what is rolling out, and the service again after it', async () => {
  statuses.toggle('Not ready')
  const before = requested().length
  statuses.toggle('Rolling out')
  await nextTick()
  expect(statuses.presets.map(({ isChosen }) => isChosen)).toEqual([false, true])
  expect([list.isCached, list.tellsRollouts, list.filters.statuses]).toEqual([true, true, []])
  expect(bridge.newest('cache.page').input.request).toMatchObject({ query: { rollingOut: true } })
  expect(requested()).toHaveLength(before)
  statuses.toggle('Rolling out')
  expect([list.isCached, list.filters.rollingOut]).toEqual([false, false])
  await nextTick()
  expect(requested()).toHaveLength(before + 1)
})

it('filters the live list by status as far as that shows rollouts', async () => {
  statuses.toggle('Rolling out')
  await nextTick()
  list.choose('live')
  expect([list.isCached, list.filters.rollingOut]).toEqual([false, false])
  await nextTick()
  expect(requested()).toEqual(['AWAITING_DATABASE'])
})

it('adds a status that appears later to the chosen preset', async () => {
  statuses.toggle('Not ready')
  await count({ PAUSED: 1 })
  expect(requested()).toContain('PAUSED')
  expect(statuses.presets[0]?.isChosen).toBe(true)
})

it('leaves a status out, one more each time, and a status that appears later is not left out', async () => {
  statuses.hide('UNUSED')
  statuses.hide('READY')
  expect(statuses.excluded).toEqual(['READY', 'UNUSED'])
  await count({ PAUSED: 1 })
  expect(list.filters.statuses).toEqual(['AWAITING_DATABASE', 'AWAITING_DELETE', 'UNKNOWN', 'PAUSED'])
  expect(statuses.excluded).toEqual(['READY', 'UNUSED'])
})
