import type { CachedPage, CachedSummary } from '@contract/cache'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { rowOf, useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useRolloutUpdatesStore } from '@/stores/deployment-list/rollout-updates'
import { deploymentPage } from '../../../../support/builders/deployment-answers'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { type FakeBridge, settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let cached: ReturnType<typeof useCachedDeploymentsStore>
let updates: ReturnType<typeof useRolloutUpdatesStore>

beforeEach(() => {
  bridge = startApp().bridge
  cached = useCachedDeploymentsStore()
  updates = useRolloutUpdatesStore()
})

const row = (id: string, active = 'old', fetchedAt = '2026-11-24T00:00:00.000Z'): CachedSummary => ({
  ...summaryOf(id, { latest_revision_id: 'new', active_revision_id: active }),
  ...{ deployment_type: null, fetched_at: fetchedAt, gone_at: null },
})

/** Answers the newest request to the cache. */
async function answerCache(snapshot: string, deployments: CachedSummary[], total = deployments.length) {
  const cache = { deployments: 9, gone: 0, synchronisedAt: '2026-11-24T00:00:00.000Z', newestAt: null }
  const page: CachedPage = { snapshot, total, offset: 0, deployments, unanswered: [], cache }
  await bridge.newest('cache.page').answer(page)
  await settled()
}

/** Shows what is rolling out: these rows. */
async function show(...rows: CachedSummary[]): Promise<void> {
  useDeploymentsStore().filter({ rollingOut: true })
  await nextTick()
  await answerCache('first', rows)
}

const newestQuery = () => bridge.newest('deployments.page').input.query as { deployment_ids?: string }
const snapshotAsked = () =>
  (bridge.newest('cache.page').input.request as { snapshot: string | null }).snapshot

/** Answers the requests to the service: the rows, and its first page. */
async function answerService(rows: CachedSummary[]): Promise<void> {
  if (rows.length > 0) {
    expect(newestQuery().deployment_ids?.split(',')).toEqual(rows.map(({ id }) => id))
    await bridge.newest('deployments.page').answer(deploymentPage(rows))
  }
  await settled()
  expect(newestQuery()).toEqual({ limit: 100, offset: 0 })
  await bridge.newest('deployments.page').answer(deploymentPage([]))
  await settled()
}

it('keeps a row that has rolled out, marked, and counts it and what is new until the list is updated', async () => {
  await show(row('1'), row('2'))
  void updates.reread()
  await answerService([row('1'), row('2')])
  expect(snapshotAsked()).toBe('first')
  await answerCache('first', [row('1', 'old', '2026-11-24T00:01:00.000Z'), row('2', 'new')])
  expect(snapshotAsked()).toBeNull()
  await answerCache('second', [row('3'), row('1')])
  expect(rowOf(cached.chunks, 1)).toMatchObject({ id: '2', active_revision_id: 'new' })
  expect([...updates.changed]).toEqual(['2'])
  expect([updates.arrived, updates.finished]).toEqual([['3'], 1])

  void updates.showNow()
  expect(snapshotAsked()).toBeNull()
  await answerCache('third', [row('3'), row('1')])
  expect([updates.arrived, updates.finished, rowOf(cached.chunks, 0)?.id]).toEqual([[], 0, '3'])
  expect(updates.changed).toContain('3')
})
