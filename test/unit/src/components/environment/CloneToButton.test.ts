import type { Environment } from '@contract'
import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import CloneToButton from '@/components/environment/CloneToButton.vue'
import { useCommandsStore } from '@/stores/application/commands'
import { environmentView } from '../../../../support/builders/environment-view'
import type { AppStore } from '../../../../support/page/start-app'
import { startApp } from '../../../../support/page/start-app'

let app: AppStore
let wrapper: ReturnType<typeof mount>

const environment = (name: string, profile: Environment['profile']): Environment => ({
  id: name,
  name,
  storage: 'keychain',
  profile,
  service: 'one',
  problem: null,
})

function have(...environments: Environment[]): void {
  app.state = { ...app.state!, environments, currentEnvironmentId: 'here' }
}
const items = (): string[] =>
  [...document.querySelectorAll('[role="menuitem"]')].map((item) => item.textContent)

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(600)
  ;({ app } = startApp())
  have(
    environment('here', environmentView({ readOnly: true })),
    environment('Staging', environmentView()),
    environment('Watched', environmentView({ readOnly: true })),
    environment('Locked', null),
    environment('Production', environmentView({ protected: true })),
  )
  wrapper = mount(CloneToButton, { attachTo: document.body })
})
afterEach(() => {
  vi.restoreAllMocks()
  wrapper.unmount()
  document.body.replaceChildren()
})

it('offers the other environments in which something can be created, by keyboard', async () => {
  const button = wrapper.get('button').element
  const focusIsOn = (name: string) => vi.waitFor(() => expect(document.activeElement?.textContent).toBe(name))
  const press = (key: string): void => {
    document.activeElement!.dispatchEvent(
      new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
    )
  }
  button.focus()
  expect(useCommandsStore().run('clone-to')).toBe(true)
  await focusIsOn('Staging')
  expect(items()).toEqual(['Staging', 'Production'])
  press('Escape')
  await vi.waitFor(() => expect(items()).toEqual([]))
  expect(document.activeElement).toBe(button)
  press('ArrowDown')
  await focusIsOn('Staging')
  press('ArrowDown')
  await focusIsOn('Production')
  press('Enter')
  expect(wrapper.emitted('pick')?.map(([picked]) => (picked as Environment).name)).toEqual(['Production'])
})

it('is closed by its button, and by Tab, which goes on from there', async () => {
  const button = wrapper.get('button')
  await button.trigger('click')
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Staging'))
  button.element.focus()
  await button.trigger('click')
  expect(items()).toEqual([])
  await button.trigger('click')
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Staging'))
  document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true }))
  await nextTick()
  expect(items()).toEqual([])
  expect(document.activeElement).toBe(button.element)
})
