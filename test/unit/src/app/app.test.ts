import type { RepositoryList } from '@contract'
import { beforeEach, expect, it, vi } from 'vitest'
import { useCommandsStore } from '@/app/commands'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useRepositoriesStore, useSourcesStore } from '@/features/repositories/sources'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { deploymentPage } from '../../../support/builders/deployment-answers'
import { type AppStore, showPage, startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore

beforeEach(() => {
  ;({ bridge, app } = startApp())
})

it('reloads the screen once the profile of the current environment is readable, and not for another one', () => {
  void app.start()
  const refresh = vi.fn()
  useCommandsStore().handle('refresh', refresh)
  const readable = (...ids: string[]): void => {
    const state = appState('a')
    bridge.emit('app.state', {
      ...state,
      environments: state.environments.map((one) => (ids.includes(one.id) ? one : { ...one, profile: null })),
    })
  }
  readable()
  readable('b')
  expect(refresh).not.toHaveBeenCalled()
  readable('a', 'b')
  readable('a', 'b')
  expect(refresh).toHaveBeenCalledTimes(1)
})

it("forgets a service's data once its environment leads to another one", async () => {
  void app.start()
  bridge.emit('app.state', appState('a'))
  const deployments = useDeploymentsStore()
  const repositories = useRepositoriesStore()
  await showPage(bridge, deploymentPage([]))
  repositories.integrationId = 'one'
  useSourcesStore().noteListing({ integrationId: 'one', repositories: [] } as unknown as RepositoryList)
  expect(repositories.list).not.toBeNull()
  void deployments.cached.open()
  await bridge.newest('cache.page').answer({ snapshot: 's', total: 0, deployments: [] })
  const state = appState('a')
  bridge.emit('app.state', {
    ...state,
    environments: state.environments.map((one) => ({ ...one, service: `another than ${one.id}` })),
  })
  expect([deployments.live.page, repositories.list, deployments.cached.page]).toEqual([null, null, null])
})
