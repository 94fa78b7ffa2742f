import type { DeploymentPage, DeploymentSummary } from '@contract'
import type { CachedPage, CachedSummary } from '@contract/cache'
import { beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useRereadsStore } from '@/features/list/rereads'
import { deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'
import { appState, type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let list: ReturnType<typeof useDeploymentsStore>
let rereads: ReturnType<typeof useRereadsStore>

beforeEach(() => {
  vi.useFakeTimers()
  ;({ bridge, app } = startApp())
  list = useDeploymentsStore()
  rereads = useRereadsStore()
})

const newest = () => bridge.newest('deployments.page')
const rows = (...ids: string[]): DeploymentSummary[] => ids.map((id) => summaryOf(id))

function page(
  deployments: DeploymentSummary[],
  offset = 0,
  nextOffset: number | null = null,
): DeploymentPage {
  return {
    environmentId: 'a',
    offset,
    received: deployments.length,
    deployments,
    unreadable: [],
    nextOffset,
    end: nextOffset === null ? 'short' : null,
    fetchedAt: new Date().toISOString(),
  }
}

/** Loads two pages, and shows the second: 6, 5 and 4, 3. */
async function openSecond(): Promise<void> {
  void list.open()
  await newest().answer(page(rows('6', '5'), 0, 2))
  void list.live.next()
  await newest().answer(page(rows('4', '3'), 2, null))
}

const shown = () => list.live.page?.deployments.map(({ id }) => id)

it('reads rows after the first page by their identifiers, and marks for a moment what changed', async () => {
  await openSecond()
  void rereads.reread()
  expect(newest().input.query).toMatchObject({ offset: 0 })
  await newest().answer(page(rows('6', '5'), 0, 2))
  expect(newest().input.query).toEqual({ deployment_ids: '4,3', limit: 2, offset: 0 })
  await newest().answer(page([summaryOf('3'), summaryOf('4', { status: 'UNUSED' })]))
  expect(list.live.page?.deployments.map(({ id, status }) => `${id} ${status}`)).toEqual([
    '4 UNUSED',
    '3 READY',
  ])
  expect([...rereads.changed]).toEqual(['4'])
  vi.advanceTimersByTime(10_000)
  expect(rereads.changed.size).toBe(0)
  expect(list.live.canGoBack).toBe(true)
})

it('marks as deleted only what the service lacks when asked for it alone', async () => {
  await openSecond()
  void rereads.reread()
  await newest().answer(page(rows('6', '5'), 0, 2))
  // A service may answer fewer at once.
  await newest().answer(page(rows('4')))
  expect(newest().input.query).toMatchObject({ deployment_ids: '3' })
  await newest().answer({ ...page([]), end: 'empty' })
  expect(list.live.page?.deployments.map((row) => 'gone_at' in row)).toEqual([false, true])
})

it('keeps the rows and says why when it fails, until it works again', async () => {
  await openSecond()
  void rereads.reread()
  await newest().fail({ code: 'timeout', message: 'No answer.' })
  expect(rereads.failure?.code).toBe('timeout')
  expect(shown()).toEqual(['4', '3'])
  expect(list.failure).toBeNull()
  void rereads.reread()
  await newest().answer(page(rows('6', '5'), 0, 2))
  await newest().answer(page(rows('4', '3')))
  expect(rereads.failure).toBeNull()
})

it('accepts the row of a deployment that was read individually later, and marks it if it changed', async () => {
  vi.setSystemTime('2026-11-23T12:00:00Z')
  await openSecond()
  const readAt = list.live.page!.fetchedAt
  rereads.takeRow(summaryOf('3', { status: 'UNUSED' }), '2026-11-23T11:59:59.000Z')
  rereads.takeRow(summaryOf('3'), '2026-11-23T12:00:01.000Z')
  rereads.takeRow(summaryOf('9'), '2026-11-23T12:00:01.000Z')
  expect([shown(), [...rereads.changed]]).toEqual([['4', '3'], []])
  rereads.takeRow(summaryOf('3', { status: 'UNUSED' }), '2026-11-23T12:00:01.000Z')
  expect(list.live.page?.deployments.map(({ status }) => status)).toEqual(['READY', 'UNUSED'])
  expect([[...rereads.changed], list.live.page?.fetchedAt]).toEqual([['3'], readAt])
})

it('yields to a page that the operator loads', async () => {
  await openSecond()
  void rereads.reread()
  const reading = newest()
  void list.live.previous()
  expect(reading.cancelled).toBe(true)
  await reading.answer(page(rows('9'), 0, null))
  await newest().answer(page(rows('6', '5'), 0, 2))
  expect(shown()).toEqual(['6', '5'])
  expect(rereads.arrived).toEqual([])
})

it('shows nothing of the previous environment', async () => {
  await openSecond()
  void rereads.reread()
  const reading = newest()
  app.state = appState('b')
  expect(reading.cancelled).toBe(true)
  await reading.answer(page(rows('9')))
  expect(list.live.page).toBeNull()
  expect(rereads.arrived).toEqual([])
})

const cachedRow = (id: string, active = 'old', fetchedAt = '2026-11-24T00:00:00.000Z'): CachedSummary => ({
  ...summaryOf(id, { latest_revision_id: 'new', active_revision_id: active }),
  ...{ deployment_type: null, fetched_at: fetchedAt, gone_at: null },
})

/** Answers the newest request to the cache. */
async function answerCache(snapshot: string, deployments: CachedSummary[], total = deployments.length) {
  const cache = { deployments: 9, gone: 0, synchronisedAt: '2026-11-24T00:00:00.000Z', newestAt: null }
  const page: CachedPage = { snapshot, total, offset: 0, deployments, cache }
  await bridge.newest('cache.page').answer(page)
  await settled()
}

/** Shows what is rolling out: these rows. */
async function showRollouts(...rows: CachedSummary[]): Promise<void> {
  list.filter({ rollingOut: true })
  await nextTick()
  await answerCache('first', rows)
}

const newestQuery = () => bridge.newest('deployments.page').input.query as { deployment_ids?: string }
const snapshotAsked = () =>
  (bridge.newest('cache.page').input.request as { snapshot: string | null }).snapshot

/** Answers the requests to the service: its first page, and the rows. */
async function answerService(rows: CachedSummary[]): Promise<void> {
  expect(newestQuery()).toEqual({ limit: 100, offset: 0, status: null })
  await bridge.newest('deployments.page').answer(deploymentPage([]))
  await settled()
  expect(newestQuery().deployment_ids?.split(',')).toEqual(rows.map(({ id }) => id))
  await bridge.newest('deployments.page').answer(deploymentPage(rows))
  await settled()
}

it('keeps a row that has rolled out, marked, and counts it and what is new until the list is updated', async () => {
  await showRollouts(cachedRow('1'), cachedRow('2'))
  void rereads.reread()
  await answerService([cachedRow('1'), cachedRow('2', 'new')])
  expect(snapshotAsked()).toBeNull()
  await answerCache('second', [cachedRow('3'), cachedRow('1')])
  expect(list.rows.at(1)).toMatchObject({ id: '2', active_revision_id: 'new' })
  expect([...rereads.changed]).toEqual(['2'])
  expect([rereads.arrived, rereads.finished]).toEqual([['3'], 1])

  void rereads.showNew()
  expect(snapshotAsked()).toBeNull()
  await answerCache('third', [cachedRow('3'), cachedRow('1')])
  expect([rereads.arrived, rereads.finished, list.rows.at(0)?.id]).toEqual([[], 0, '3'])
  expect(rereads.changed).toContain('3')
})
