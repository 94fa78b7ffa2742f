import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import MenuButton from '@/components/display/MenuButton.vue'
import type { MenuItem } from '@/components/display/menu-item'

const items: MenuItem[] = [
  { key: 'new', label: 'New draft' },
  { key: 'wide', label: 'Wide', kind: 'checkbox', isChecked: true },
]
let wrapper: ReturnType<typeof mount<typeof MenuButton>>

beforeEach(() => {
  wrapper = mount(MenuButton, { props: { label: 'More actions', items }, attachTo: document.body })
})
afterEach(() => wrapper.unmount())

const item = (index: number): HTMLElement =>
  document.querySelectorAll<HTMLElement>('[role^="menuitem"]')[index]!
const isOpen = (): boolean => document.querySelector('[role="menu"]') !== null

it('opens a menu with its name, which an action closes and a choice leaves open', async () => {
  const button = wrapper.get('button')
  expect(button.attributes()).toMatchObject({ 'aria-label': 'More actions', 'aria-expanded': 'false' })
  await button.trigger('click')
  await nextTick()
  expect(document.querySelector('[role="menu"]')?.getAttribute('aria-label')).toBe('More actions')
  expect(button.attributes('aria-expanded')).toBe('true')
  item(1).click()
  await nextTick()
  expect(isOpen()).toBe(true)
  item(0).click()
  await nextTick()
  expect(isOpen()).toBe(false)
  expect(wrapper.emitted('choose')).toEqual([[items[1]], [items[0]]])
  expect(document.activeElement).toBe(button.element)
})

it('opens with the down arrow, and closes with a second press', async () => {
  const button = wrapper.get('button')
  await button.trigger('keydown', { key: 'ArrowDown' })
  expect(isOpen()).toBe(true)
  await button.trigger('click')
  expect(isOpen()).toBe(false)
})
