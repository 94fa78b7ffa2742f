import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import * as announcer from '@/composables/announcer'
import EnvironmentsScreen from '@/screens/environments/EnvironmentsScreen.vue'
import EnvironmentsTable from '@/screens/environments/EnvironmentsTable.vue'
import { appState, settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

it('announces a new order only once it is saved', async () => {
  const { app, bridge } = startApp()
  app.state = appState('a')
  const announced = vi.spyOn(announcer, 'announce')
  const screen = mount(EnvironmentsScreen, { shallow: true })
  const move = () => screen.getComponent(EnvironmentsTable).vm.$emit('move', app.environments.at(-1)!, -1)
  move()
  await bridge.newest('environments.reorder').fail({ message: 'The keychain is locked.' })
  await screen.vm.$nextTick()
  expect(announced).not.toHaveBeenCalled()
  move()
  await bridge.newest('environments.reorder').answer(null)
  await settled()
  expect(announced).toHaveBeenCalledOnce()
})
