import { describe, afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followMs } from '@/features/deployment/deployment'
import { useDeploymentStore, useSeenStore } from '@/features/deployment/deployment'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { type AppStore, showPage, startApp } from '../../../support/page/start-app'
import { deploymentSchema, type DeploymentDetail, type DeploymentPage } from '@contract'
import { nextTick } from 'vue'
import { deploymentDetail, deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'

describe('an opened deployment', () => {
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
})

describe('what was seen of it', () => {
  let bridge: FakeBridge
  let app: AppStore

  beforeEach(() => {
    ;({ bridge, app } = startApp())
  })

  const time = (minute: number): string => `2026-11-21T10:${String(minute).padStart(2, '0')}:00.000Z`

  const detail = (more: object, minute: number): DeploymentDetail =>
    deploymentDetail(deploymentSchema.parse({ id: '1', name: 'one', status: 'READY', ...more }), {
      fetchedAt: time(minute),
    })

  const page = (minute: number, ...deployments: DeploymentPage['deployments']): DeploymentPage =>
    deploymentPage(deployments, { fetchedAt: time(minute) })

  it('notes what differs between two answers, of the list and of the page, and when each arrived', async () => {
    const opened = useDeploymentStore()
    const store = useSeenStore()
    await showPage(bridge, page(1, summaryOf('1', { latest_revision_id: 'r1' })))
    await nextTick()
    opened.detail = detail({ latest_revision_id: 'r1', active_revision_id: 'r1' }, 3)
    await nextTick()
    expect(store.since(opened.detail.deployment, 'latest_revision_id')).toBeNull()
    opened.readAt = time(4)
    await nextTick()
    opened.detail = detail({ latest_revision_id: 'r2', active_revision_id: 'r1' }, 5)
    opened.readAt = time(5)
    await nextTick()
    const { deployment } = opened.detail
    expect(store.since(deployment, 'latest_revision_id')).toBe(time(5))
    expect(store.since(deployment, 'active_revision_id')).toBe(time(3))
    // What is shown may be older than what was seen since.
    expect(store.since({ ...deployment, latest_revision_id: 'r1' }, 'latest_revision_id')).toBeNull()
  })

  it('notes nothing of an older answer, of a row that is gone, and of another environment', async () => {
    const opened = useDeploymentStore()
    const store = useSeenStore()
    const active = (id: string | null) => ({ id: '1', latest_revision_id: null, active_revision_id: id })
    const since = (id: string) => store.since(active(id), 'active_revision_id')
    await showPage(bridge, page(4, summaryOf('1', active('r1'))))
    await nextTick()
    await showPage(bridge, page(5, summaryOf('1', active('r2'))))
    await nextTick()
    opened.detail = { ...detail(active('r3'), 2), fromCache: { goneAt: null } }
    await nextTick()
    opened.detail = { ...detail(active('r3'), 6), environmentId: 'b' }
    await nextTick()
    await showPage(bridge, page(7, { ...summaryOf('1', active('r3')), gone_at: time(7) } as never))
    await nextTick()
    expect([since('r2'), since('r3')]).toEqual([time(5), null])

    app.state = appState('b')
    expect(since('r2')).toBeNull()
  })
})
