import { expect, it } from 'vitest'
import { useRepositoriesStore } from '@/stores/repositories'
import { startApp } from '../../../../support/page/start-app'

it('lists an integration once, however often it is asked for meanwhile', () => {
  const { bridge } = startApp()
  const store = useRepositoriesStore()
  store.integrationId = 'one'
  void store.load()
  void store.load()
  expect(bridge.callsOf('repositories.list')).toHaveLength(1)
  store.integrationId = 'two'
  void store.load()
  expect(bridge.callsOf('repositories.list').map(({ cancelled }) => cancelled)).toEqual([true, false])
})
