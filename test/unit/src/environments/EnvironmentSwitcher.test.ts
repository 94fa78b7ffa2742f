import { flushPromises, mount } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import EnvironmentSwitcher from '@/features/environments/EnvironmentSwitcher.vue'
import { useAppStore } from '@/app/stores/app'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

const notRemembered = {
  message: "It is the current environment now, but that couldn't be written to disk.",
  retryable: true,
}

let bridge: FakeBridge
const selects = () => bridge.callsOf('environments.select')

/** The disk is full: the switch works but can't be saved. */
async function failToRemember(): Promise<void> {
  useAppStore().state = appState('b')
  await selects().at(-1)?.fail(notRemembered)
  await nextTick()
}

beforeEach(() => {
  bridge = startApp().bridge
})

it('a switch that could not be saved is tried again if the environment is picked again', async () => {
  const switcher = mount(EnvironmentSwitcher)
  const pick = async (at: number): Promise<void> => {
    await switcher.get('button').trigger('click')
    await flushPromises()
    document.querySelectorAll<HTMLElement>('[role="menuitem"]')[at]!.click()
    await flushPromises()
  }
  await pick(1)
  await failToRemember()
  expect(switcher.text()).toContain("couldn't be written to disk")
  await pick(1)
  expect(selects()).toHaveLength(2)
  await selects()[1]?.answer(null)
  await nextTick()
  expect(switcher.text()).not.toContain("couldn't be written to disk")
  await pick(1)
  expect(selects()).toHaveLength(2)
})
