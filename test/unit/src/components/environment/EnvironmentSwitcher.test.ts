import { mount } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import EnvironmentMenu from '@/components/environment/EnvironmentMenu.vue'
import EnvironmentSwitcher from '@/components/environment/EnvironmentSwitcher.vue'
import EnvironmentsScreen from '@/screens/environments/EnvironmentsScreen.vue'
import EnvironmentsTable from '@/screens/environments/EnvironmentsTable.vue'
import { useAppStore } from '@/stores/application/app'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

const notRemembered = {
  message: "It is the current environment now, but that couldn't be written to disk.",
  retryable: true,
}

let bridge: FakeBridge
const selects = () => bridge.calls.filter(({ name }) => name === 'environments.select')

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
    switcher.getComponent(EnvironmentMenu).vm.$emit('pick', useAppStore().environments[at])
    await nextTick()
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
  switcher.unmount()
})

it("doesn't report a failed switch after another environment was chosen", async () => {
  const app = useAppStore()
  const screen = mount(EnvironmentsScreen)
  const table = screen.getComponent(EnvironmentsTable)
  table.vm.$emit('switch', app.environments[1])
  void app.select('a')
  // The later choice wins, although "a" is still current.
  expect(selects().map(({ input }) => input)).toEqual([{ id: 'b' }, { id: 'a' }])
  app.state = appState('b')
  await selects()[0]?.fail(notRemembered)
  await nextTick()
  expect(screen.find('[role=alert]').exists()).toBe(false)
  screen.unmount()
})
