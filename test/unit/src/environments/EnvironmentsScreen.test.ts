import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import { announcement } from '@/app/window'
import EnvironmentsScreen from '@/features/environments/EnvironmentsScreen.vue'
import EnvironmentsTable from '@/features/environments/EnvironmentsTable.vue'
import { settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

it('says where an environment is once it has moved, and nothing of a move that was refused but why', async () => {
  const { bridge, app } = startApp()
  const screen = mount(EnvironmentsScreen, { attachTo: document.body })
  const moveDown = (): void => {
    screen.getComponent(EnvironmentsTable).vm.$emit('act', 'down', app.environments[0])
  }
  const before = announcement.value
  moveDown()
  await bridge.newest('environments.reorder').fail({ message: 'The keychain is locked.' })
  await settled()
  await nextTick()
  expect(announcement.value).toEqual(before)
  expect(screen.text()).toContain('The keychain is locked.')
  moveDown()
  await bridge.newest('environments.reorder').answer(null)
  await settled()
  await nextTick()
  expect(JSON.stringify(announcement.value)).toContain('a is number 2 of 2.')
  expect(screen.text()).not.toContain('The keychain is locked.')
})
