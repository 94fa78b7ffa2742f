import { beforeEach, describe, expect, it } from 'vitest'
import { useComparisonStore } from '@/features/compare/comparison'
import { appState, type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let store: ReturnType<typeof useComparisonStore>

beforeEach(async () => {
  const { bridge: started, app } = startApp()
  bridge = started
  void app.start()
  await bridge.newest('app.state').answer(appState('a'))
  store = useComparisonStore()
})

const of = (environmentId: string, id = '1') => ({ kind: 'deployment' as const, environmentId, id })

function detail(environmentId: string, name: string, id = '1', more: object = {}) {
  const deployment = { id, name, source: 'repohost' }
  return {
    environmentId,
    deployment,
    json: JSON.stringify(deployment),
    fetchedAt: '2026-11-24T08:00:00Z',
    ...more,
  }
}

describe('a deployment', () => {
  it('at an earlier point is read from the history, and reported if that is not stored', async () => {
    const earlier = { ...of('a'), kind: 'earlier' as const, point: 3 }
    void store.left.open(earlier)
    expect(bridge.newest('history.earlier').input).toEqual({
      environmentId: 'a',
      request: { id: '1', point: 3 },
    })
    await bridge.newest('history.earlier').answer(detail('a', 'one', '1', { fromCache: { goneAt: null } }))
    expect(store.left.read).toMatchObject({ name: 'one', from: 'history', asOf: '2026-11-24T08:00:00Z' })
    void store.left.open({ ...earlier, point: 1 })
    await bridge.newest('history.earlier').answer(null)
    expect(store.left).toMatchObject({ read: null, failure: { code: 'not-found' } })
    expect(bridge.callsOf('deployments.get')).toEqual([])
  })

  it('is read from the cache if its service answers with an error, and the error stays without a cached copy', async () => {
    const error = { code: 'service-error' as const, status: 500 }
    void store.left.open(of('a'))
    await bridge.newest('deployments.get').fail(error)
    await bridge
      .newest('comparison.deployment')
      .answer(detail('a', 'one', '1', { fromCache: { goneAt: null } }))
    expect(store.left.read).toMatchObject({
      name: 'one',
      from: 'cache',
      asOf: '2026-11-24T08:00:00Z',
      serviceFailure: error,
    })
    expect(store.left.failure).toBeNull()

    void store.left.open(of('a'))
    await bridge.newest('deployments.get').fail(error)
    await bridge.newest('comparison.deployment').fail({ code: 'not-found' })
    expect(store.left).toMatchObject({ read: null, failure: error })
  })
})

describe('nothing of one environment appears under the name of another', () => {
  it('if an answer is about another one', async () => {
    for (const answer of [detail('b', 'of b'), detail('a', 'another', '2')]) {
      void store.left.open(of('a'))
      await bridge.newest('deployments.get').answer(answer)
      expect(store.left.read).toBeNull()
      expect(store.left.failure).not.toBeNull()
    }
  })

  it('if the environment leads elsewhere meanwhile', async () => {
    void store.left.open(of('a'))
    const first = bridge.newest('deployments.get')
    await first.answer(detail('a', 'before'))
    const edited = structuredClone(appState('a'))
    edited.environments[0]!.service = 'another service'
    bridge.emit('app.state', edited)
    expect(store.left.read).toBeNull()
    expect(bridge.newest('deployments.get')).not.toBe(first)
    await bridge.newest('deployments.get').answer(detail('a', 'after'))
    expect(store.left.read?.name).toBe('after')
  })

  it('once its environment is removed', async () => {
    void store.left.open(of('b'))
    await bridge.newest('comparison.deployment').answer(detail('b', 'two'))
    const removed = structuredClone(appState('a'))
    removed.environments = removed.environments.slice(0, 1)
    bridge.emit('app.state', removed)
    await settled()
    expect(store.left.read).toBeNull()
    expect(store.left.failure?.code).toBe('not-found')
  })
})
