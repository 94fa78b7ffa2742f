import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { routerKey } from 'vue-router'
import EditEnvironmentButton from '@/components/environment/EditEnvironmentButton.vue'
import EnvironmentDialog from '@/screens/environments/dialog/EnvironmentDialog.vue'
import EnvironmentsScreen from '@/screens/environments/EnvironmentsScreen.vue'
import { appState } from '../../../../support/page/fake-bridge'
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
