import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, effectScope, h, ref } from 'vue'
import { useShortcuts } from '@/components/commands/use-shortcuts'
import { useOpenDialog } from '@/components/dialog/dialog-open'
import { useChoicesStore } from '@/stores/application/choices'
import { useCommandsStore } from '@/stores/application/commands'
import { installFakeBridge } from '../../../../support/fake-bridge'

const done = { find: vi.fn(), refresh: vi.fn(), back: vi.fn(), forward: vi.fn() }
let wrapper: ReturnType<typeof mount>

beforeEach(() => {
  installFakeBridge()
  setActivePinia(createPinia())
  vi.resetAllMocks()
  const commands = useCommandsStore()
  for (const [id, run] of Object.entries(done)) commands.handle(id as keyof typeof done, run)
  const Page = defineComponent({
    setup() {
      useShortcuts()
      return () => [
        h('input', { class: 'text' }),
        h('input', { type: 'checkbox' }),
        h('div', { contenteditable: 'true', class: 'editor' }),
        h('div', { role: 'menu' }, [h('span', { role: 'menuitem', tabindex: -1 })]),
        h('p'),
      ]
    },
  })
  wrapper = mount(Page, { attachTo: document.body })
})
afterEach(() => wrapper.unmount())

/** Presses a key on an element; gives whether a command took it. */
function press(selector: string, key: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  wrapper.find(selector).element.dispatchEvent(event)
  return event.defaultPrevented
}

it('takes single characters as commands, but not where they are text', () => {
  expect(press('p', '/')).toBe(true)
  expect(press('[type=checkbox]', '/')).toBe(true)
  expect(done.find).toHaveBeenCalledTimes(2)
  for (const selector of ['.text', '[role=menuitem]']) expect(press(selector, '/'), selector).toBe(false)
  expect(done.find).toHaveBeenCalledTimes(2)
  expect(press('.text', 'f', { ctrlKey: true })).toBe(true)
  expect(done.find).toHaveBeenCalledTimes(3)
})

it('leaves everything to an open dialog, but not to one that disappears', () => {
  const shown = ref(true)
  const scope = effectScope()
  scope.run(() => useOpenDialog(shown))
  expect(press('p', 'r', { ctrlKey: true })).toBe(false)
  expect(done.refresh).not.toHaveBeenCalled()
  // Its element stays in the page for a moment.
  shown.value = false
  expect(press('p', 'r', { ctrlKey: true })).toBe(true)
  shown.value = true
  scope.stop()
  expect(press('p', 'r', { ctrlKey: true })).toBe(true)
})

it('leaves a key to what has used it, and to whatever types with an input method', () => {
  wrapper.find('p').element.addEventListener('keydown', (event) => event.preventDefault(), { once: true })
  press('p', 'r', { ctrlKey: true })
  press('p', '/', { isComposing: true })
  expect(done.refresh).not.toHaveBeenCalled()
  expect(done.find).not.toHaveBeenCalled()
})

it('follows a changed shortcut', () => {
  useChoicesStore().setShortcuts({ refresh: ['F5'] })
  expect(press('p', 'r', { ctrlKey: true })).toBe(false)
  expect(press('.text', 'F5')).toBe(true)
  expect(done.refresh).toHaveBeenCalledTimes(1)
})

it("goes back and forward with the mouse's buttons, once each and instead of Chromium", () => {
  const release = (button: number): boolean => {
    const event = new MouseEvent('mouseup', { button, bubbles: true, cancelable: true })
    wrapper.find('p').element.dispatchEvent(event)
    return event.defaultPrevented
  }
  expect([release(3), release(4), release(0), release(2)]).toEqual([true, true, false, false])
  expect([done.back.mock.calls.length, done.forward.mock.calls.length]).toEqual([1, 1])
})
