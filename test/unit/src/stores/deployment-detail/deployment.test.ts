import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followMs } from '@/domain/list/reread'
import { useDeploymentStore } from '@/stores/deployment-detail/deployment'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../support/page/start-app'

const rereadMs = followMs.rollingOut

let bridge: FakeBridge
let app: AppStore
let store: ReturnType<typeof useDeploymentStore>

beforeEach(() => {
  vi.useFakeTimers()
  ;({ bridge, app } = startApp())
  store = useDeploymentStore()
})

afterEach(() => {
  store.close()
  vi.useRealTimers()
})

const detail = (status: string, environmentId = 'a') => ({
  environmentId,
  deployment: { id: '1', name: 'one', status, latest_revision_id: null, active_revision_id: null },
  json: JSON.stringify({ status }),
  fetchedAt: new Date().toISOString(),
})

const last = () => {
  const call = bridge.calls.at(-1)
  if (!call) throw new Error('nothing was asked for')
  return call
}

it('reads a deployment again until its status is settled', async () => {
  void store.open('1')
  await last().answer(detail('AWAITING_DATABASE'))
  vi.advanceTimersByTime(rereadMs)
  expect(bridge.calls).toHaveLength(2)
  expect(store.loading).toBe(false)
  await last().answer(detail('READY'))
  expect(store.detail?.deployment.status).toBe('READY')
  vi.advanceTimersByTime(rereadMs * 5)
  expect(bridge.calls).toHaveLength(2)
  vi.advanceTimersByTime(followMs.settled)
  expect(bridge.calls).toHaveLength(3)
})

it.each(['offline', 'denied'] as const)('waits while the service is %s', async (state) => {
  void store.open('1')
  await last().answer(detail('AWAITING_DATABASE'))
  app.state = {
    ...appState('a'),
    connection: { environmentId: 'a', state, at: null, reason: null },
  }
  vi.advanceTimersByTime(rereadMs * 4)
  expect(bridge.calls).toHaveLength(1)
  app.state = appState('a')
  vi.advanceTimersByTime(rereadMs)
  expect(bridge.calls).toHaveLength(2)
})

it('keeps its content when a background read fails, and tries again', async () => {
  void store.open('1')
  await last().answer(detail('AWAITING_DATABASE'))
  vi.advanceTimersByTime(rereadMs)
  await last().fail({ code: 'timeout' })
  expect(store.failure).toBeNull()
  expect(store.detail).not.toBeNull()
  vi.advanceTimersByTime(2 * rereadMs)
  expect(bridge.calls).toHaveLength(3)
})

it('stops when it is closed, and when the environment changes', async () => {
  void store.open('1')
  await last().answer(detail('AWAITING_DATABASE'))
  app.state = appState('b')
  expect(store.detail).toBeNull()
  vi.advanceTimersByTime(rereadMs * 3)
  expect(bridge.calls).toHaveLength(1)

  void store.open('1')
  const call = last()
  store.close()
  expect(call.cancelled).toBe(true)
  await call.answer(detail('READY', 'b'))
  expect(store.detail).toBeNull()
})

it('never shows an answer under another environment', async () => {
  void store.open('1')
  await last().answer(detail('READY', 'b'))
  expect(store.detail).toBeNull()
})

it('keeps a deployment that the service no longer has as of when it was first missing, until it is back', async () => {
  const missing = (missingAt: string) => ({
    ...detail('READY'),
    fromCache: { goneAt: missingAt, missingAt },
  })
  void store.open('1')
  await last().answer(missing('2026-11-23T12:00:00.000Z'))
  expect(store.failure).toBeNull()
  vi.advanceTimersByTime(followMs.settled)
  await last().answer(missing('2026-11-23T12:00:30.000Z'))
  expect(store.detail?.fromCache?.goneAt).toBe('2026-11-23T12:00:00.000Z')
  vi.advanceTimersByTime(followMs.settled)
  await last().answer(detail('READY'))
  expect(bridge.calls).toHaveLength(3)
  expect(store.detail?.fromCache).toBeUndefined()
})
