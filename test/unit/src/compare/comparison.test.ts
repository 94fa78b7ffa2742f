import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EffectScope, effectScope, shallowRef } from 'vue'
import { type ComparedSide, useSide } from '@/features/compare/comparison'
import type { SideRef } from '@/features/compare/side-ref'
import { appState, type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let side: ComparedSide
let scope: EffectScope
const wanted = shallowRef<SideRef | null>(null)

beforeEach(async () => {
  const { bridge: started, app } = startApp()
  bridge = started
  void app.start()
  await bridge.newest('app.state').answer(appState('a'))
  wanted.value = null
  scope = effectScope(true)
  side = scope.run(() => useSide(() => wanted.value))!
})

afterEach(() => scope.stop())

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
    wanted.value = earlier
    expect(bridge.newest('history.earlier').input).toEqual({
      environmentId: 'a',
      request: { id: '1', point: 3 },
    })
    await bridge.newest('history.earlier').answer(detail('a', 'one', '1', { fromCache: { goneAt: null } }))
    expect(side.read).toMatchObject({ name: 'one', from: 'history', asOf: '2026-11-24T08:00:00Z' })
    wanted.value = { ...earlier, point: 1 }
    await bridge.newest('history.earlier').answer(null)
    expect(side).toMatchObject({ read: null, failure: { code: 'not-found' } })
    expect(bridge.callsOf('deployments.get')).toEqual([])
  })

  it('is read from the cache if its service answers with an error, and the error stays without a cached copy', async () => {
    const error = { code: 'service-error' as const, status: 500 }
    wanted.value = of('a')
    await bridge.newest('deployments.get').fail(error)
    await bridge
      .newest('comparison.deployment')
      .answer(detail('a', 'one', '1', { fromCache: { goneAt: null } }))
    expect(side.read).toMatchObject({
      name: 'one',
      from: 'cache',
      asOf: '2026-11-24T08:00:00Z',
      serviceFailure: error,
    })
    expect(side.failure).toBeNull()

    side.load()
    await bridge.newest('deployments.get').fail(error)
    await bridge.newest('comparison.deployment').fail({ code: 'not-found' })
    expect(side).toMatchObject({ read: null, failure: error })
  })
})

describe('nothing of one environment appears under the name of another', () => {
  it('if an answer is about another one', async () => {
    wanted.value = of('a')
    for (const answer of [detail('b', 'of b'), detail('a', 'another', '2')]) {
      side.load()
      await bridge.newest('deployments.get').answer(answer)
      expect(side.read).toBeNull()
      expect(side.failure).not.toBeNull()
    }
  })

  it('if the environment leads elsewhere meanwhile', async () => {
    wanted.value = of('a')
    const first = bridge.newest('deployments.get')
    await first.answer(detail('a', 'before'))
    const edited = structuredClone(appState('a'))
    edited.environments[0]!.service = 'another service'
    bridge.emit('app.state', edited)
    expect(side.read).toBeNull()
    expect(bridge.newest('deployments.get')).not.toBe(first)
    await bridge.newest('deployments.get').answer(detail('a', 'after'))
    expect(side.read?.name).toBe('after')
  })

  it('once its environment is removed', async () => {
    wanted.value = of('b')
    await bridge.newest('comparison.deployment').answer(detail('b', 'two'))
    const removed = structuredClone(appState('a'))
    removed.environments = removed.environments.slice(0, 1)
    bridge.emit('app.state', removed)
    await settled()
    expect(side.read).toBeNull()
    expect(side.failure?.code).toBe('not-found')
  })
})
