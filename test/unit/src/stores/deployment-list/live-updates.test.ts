import type { DeploymentPage, DeploymentSummary } from '@contract'
import { beforeEach, expect, it, vi } from 'vitest'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useLiveUpdatesStore } from '@/stores/deployment-list/live-updates'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let list: ReturnType<typeof useDeploymentsStore>
let updates: ReturnType<typeof useLiveUpdatesStore>

beforeEach(() => {
  vi.useFakeTimers()
  ;({ bridge, app } = startApp())
  list = useDeploymentsStore()
  updates = useLiveUpdatesStore()
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
  void list.next()
  await newest().answer(page(rows('4', '3'), 2, null))
}

const shown = () => list.page?.deployments.map(({ id }) => id)

it('reads rows after the first page by their identifiers, and marks for a moment what changed', async () => {
  await openSecond()
  void updates.reread()
  expect(newest().input.query).toMatchObject({ offset: 0 })
  await newest().answer(page(rows('6', '5'), 0, 2))
  expect(newest().input.query).toEqual({ deployment_ids: '4,3', limit: 2, offset: 0 })
  await newest().answer(page([summaryOf('3'), summaryOf('4', { status: 'UNUSED' })]))
  expect(list.page?.deployments.map(({ id, status }) => `${id} ${status}`)).toEqual(['4 UNUSED', '3 READY'])
  expect([...updates.changed]).toEqual(['4'])
  vi.advanceTimersByTime(10_000)
  expect(updates.changed.size).toBe(0)
  expect(list.canGoBack).toBe(true)
})

it('marks as deleted only what the service lacks when asked for it alone', async () => {
  await openSecond()
  void updates.reread()
  await newest().answer(page(rows('6', '5'), 0, 2))
  // A service may answer fewer at once.
  await newest().answer(page(rows('4')))
  expect(newest().input.query).toMatchObject({ deployment_ids: '3' })
  await newest().answer({ ...page([]), end: 'empty' })
  expect(list.page?.deployments.map((row) => 'gone_at' in row)).toEqual([false, true])
})

it('keeps the rows and says why when it fails, until it works again', async () => {
  await openSecond()
  void updates.reread()
  await newest().fail({ code: 'timeout', message: 'No answer.' })
  expect(updates.failure?.code).toBe('timeout')
  expect(shown()).toEqual(['4', '3'])
  expect(list.failure).toBeNull()
  void updates.reread()
  await newest().answer(page(rows('6', '5'), 0, 2))
  await newest().answer(page(rows('4', '3')))
  expect(updates.failure).toBeNull()
})

it('accepts the row of a deployment that was read individually later, and marks it if it changed', async () => {
  vi.setSystemTime('2026-11-23T12:00:00Z')
  await openSecond()
  const readAt = list.page!.fetchedAt
  updates.takeRow(summaryOf('3', { status: 'UNUSED' }), '2026-11-23T11:59:59.000Z')
  updates.takeRow(summaryOf('3'), '2026-11-23T12:00:01.000Z')
  updates.takeRow(summaryOf('9'), '2026-11-23T12:00:01.000Z')
  expect([shown(), [...updates.changed]]).toEqual([['4', '3'], []])
  updates.takeRow(summaryOf('3', { status: 'UNUSED' }), '2026-11-23T12:00:01.000Z')
  expect(list.page?.deployments.map(({ status }) => status)).toEqual(['READY', 'UNUSED'])
  expect([[...updates.changed], list.page?.fetchedAt]).toEqual([['3'], readAt])
})

it('yields to a page that the operator loads', async () => {
  await openSecond()
  void updates.reread()
  const reading = newest()
  void list.previous()
  expect(reading.cancelled).toBe(true)
  await reading.answer(page(rows('9'), 0, null))
  await newest().answer(page(rows('6', '5'), 0, 2))
  expect(shown()).toEqual(['6', '5'])
  expect(updates.arrived).toEqual([])
})

it('shows nothing of the previous environment', async () => {
  await openSecond()
  void updates.reread()
  const reading = newest()
  app.state = appState('b')
  expect(reading.cancelled).toBe(true)
  await reading.answer(page(rows('9')))
  expect(list.page).toBeNull()
  expect(updates.arrived).toEqual([])
})
