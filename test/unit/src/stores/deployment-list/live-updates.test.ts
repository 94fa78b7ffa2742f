import type { DeploymentPage, DeploymentSummary } from '@contract'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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

afterEach(() => {
  vi.useRealTimers()
})

const newest = () => bridge.calls.filter(({ name }) => name === 'deployments.page').at(-1)!
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

it('needs one request for the first page', async () => {
  void list.open()
  await newest().answer(page(rows('6', '5')))
  void updates.reread()
  await newest().answer(page([summaryOf('6', { status: 'UNUSED' }), summaryOf('5')]))
  expect(bridge.calls.filter(({ name }) => name === 'deployments.page')).toHaveLength(2)
  expect([...updates.changed]).toEqual(['6'])
})

it('counts new deployments, leaves the rows where they are, and shows them on request', async () => {
  void list.open()
  await newest().answer(page(rows('6', '5'), 0, 2))
  void updates.reread()
  await newest().answer(page(rows('8', '7'), 0, 2))
  await newest().answer(page(rows('6', '5')))
  expect(updates.arrived).toEqual(['8', '7'])
  expect(shown()).toEqual(['6', '5'])
  const showing = updates.showArrived()
  await newest().answer(page(rows('8', '7'), 0, 2))
  await showing
  expect(shown()).toEqual(['8', '7'])
  expect(updates.arrived).toEqual([])
  expect([...updates.changed]).toEqual(['8', '7'])
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

it('marks nothing as deleted if the service ignores the identifiers', async () => {
  await openSecond()
  void updates.reread()
  await newest().answer(page(rows('6', '5'), 0, 2))
  await newest().answer(page(rows('6', '5')))
  expect(list.page?.deployments).toEqual(rows('4', '3'))
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

it("drops the list's failure once the page that failed was read again, and keeps that of another page", async () => {
  const reread = async () => {
    void updates.reread()
    await newest().answer(page(rows('6', '5'), 0, 2))
  }
  void list.open()
  await newest().answer(page(rows('6', '5'), 0, 2))
  void list.refresh()
  await newest().fail({ code: 'timeout' })
  await reread()
  expect(list.failure).toBeNull()
  void list.next()
  await newest().fail({ code: 'timeout' })
  await reread()
  expect(list.failure?.code).toBe('timeout')
  list.filter({ statuses: ['UNUSED'] })
  await newest().fail({ code: 'service-error' })
  await reread()
  expect(list.failure?.code).toBe('service-error')
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

it('accepts the result of a slow re-read even if such rows arrived meanwhile, which stay', async () => {
  vi.setSystemTime('2026-11-23T12:00:00Z')
  await openSecond()
  void updates.reread()
  updates.takeRow(summaryOf('3', { status: 'AWAITING_DATABASE' }), '2026-11-23T12:00:01.000Z')
  await newest().answer(page(rows('6', '5'), 0, 2))
  updates.takeRow(summaryOf('3', { status: 'UNUSED' }), '2026-11-23T12:00:04.000Z')
  vi.setSystemTime('2026-11-23T12:00:05Z')
  await newest().answer(page([summaryOf('4', { status: 'UNKNOWN' }), summaryOf('3')]))
  const statuses = () => list.page?.deployments.map(({ status }) => status)
  expect(statuses()).toEqual(['UNKNOWN', 'UNUSED'])
  expect(new Set(updates.changed)).toEqual(new Set(['3', '4']))
  // The next one is newer.
  void updates.reread()
  await newest().answer(page(rows('6', '5'), 0, 2))
  await newest().answer(page(rows('4', '3')))
  expect(statuses()).toEqual(['READY', 'READY'])
})

it('ignores such a row if the list could not be read, and keeps the failure', async () => {
  await openSecond()
  void list.refresh()
  await newest().fail({ code: 'service-error' })
  updates.takeRow(summaryOf('3', { status: 'UNUSED' }), '2999-01-01T00:00:00.000Z')
  expect(list.failure?.code).toBe('service-error')
  expect(list.page?.deployments[1]?.status).toBe('READY')
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
