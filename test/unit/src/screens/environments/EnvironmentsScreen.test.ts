import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { routerKey } from 'vue-router'
import EditEnvironmentButton from '@/components/environment/EditEnvironmentButton.vue'
import * as announcer from '@/composables/announcer'
import EnvironmentDialog from '@/screens/environments/dialog/EnvironmentDialog.vue'
import EnvironmentsScreen from '@/screens/environments/EnvironmentsScreen.vue'
import EnvironmentsTable from '@/screens/environments/EnvironmentsTable.vue'
import { appState, settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

it('opens the dialog of the environment whose message led here, once', async () => {
  const { app } = startApp()
  app.state = appState('b')
  const push = vi.fn(() => Promise.resolve())
  const button = mount(EditEnvironmentButton, { global: { provide: { [routerKey as symbol]: { push } } } })
  await button.get('button').trigger('click')
  expect(push).toHaveBeenCalledWith('/environments')
  const screen = mount(EnvironmentsScreen, { shallow: true })
  await screen.vm.$nextTick()
  expect(screen.getComponent(EnvironmentDialog).props()).toMatchObject({ show: true, initial: { id: 'b' } })
  const later = mount(EnvironmentsScreen, { shallow: true })
  await later.vm.$nextTick()
  expect(later.findComponent(EnvironmentDialog).exists()).toBe(false)
})

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
