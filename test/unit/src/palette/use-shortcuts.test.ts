import { mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defineComponent, effectScope, h } from 'vue'
import { sequenceMs, useShortcuts } from '@/features/palette/palette'
import { useOpenDialog } from '@/app/window'
import { useCommandsStore } from '@/app/commands'
import { installFakeBridge } from '../../../support/page/fake-bridge'

const done = {
  'go-deployments': vi.fn(),
  find: vi.fn(),
  refresh: vi.fn(),
  back: vi.fn(),
  forward: vi.fn(),
}
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

/** Presses a key on an element; returns whether a command took it. */
function press(selector: string, key: string, more: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  wrapper.find(selector).element.dispatchEvent(event)
  return event.defaultPrevented
}

it('takes single characters as commands, but not where they are text input', () => {
  expect(press('p', '/')).toBe(true)
  expect(press('[type=checkbox]', '/')).toBe(true)
  expect(done.find).toHaveBeenCalledTimes(2)
  for (const selector of ['.text', '[role=menuitem]']) expect(press(selector, '/'), selector).toBe(false)
  expect(done.find).toHaveBeenCalledTimes(2)
  expect(press('.text', 'f', { ctrlKey: true })).toBe(true)
  expect(done.find).toHaveBeenCalledTimes(3)
})

it('leaves everything to an open dialog', () => {
  const scope = effectScope()
  scope.run(useOpenDialog)
  expect(press('p', 'r', { ctrlKey: true })).toBe(false)
  expect(done.refresh).not.toHaveBeenCalled()
  scope.stop()
  expect(press('p', 'r', { ctrlKey: true })).toBe(true)
})

it('leaves a key to an element that has used it, and to an input method', () => {
  wrapper.find('p').element.addEventListener('keydown', (event) => event.preventDefault(), { once: true })
  press('p', 'r', { ctrlKey: true })
  press('p', '/', { isComposing: true })
  expect(done.refresh).not.toHaveBeenCalled()
  expect(done.find).not.toHaveBeenCalled()
})

describe('two keys, one after the other', () => {
  const times = () => done['go-deployments'].mock.calls.length

  it('run a command before the second key means anything else', () => {
    const seen = vi.fn()
    wrapper.find('p').element.addEventListener('keydown', seen)
    expect(press('p', 'g')).toBe(false)
    expect(press('p', 'Shift', { shiftKey: true })).toBe(false)
    expect(press('p', 'd')).toBe(true)
    expect([times(), seen.mock.calls.length]).toEqual([1, 2])
    expect(press('p', 'd')).toBe(false)
    expect(times()).toBe(1)
  })

  it('run none if either is text input, or with another key between', () => {
    for (const [one, two] of [
      ['.text', 'p'],
      ['p', '.text'],
      ['[role=menuitem]', 'p'],
    ] as const) {
      press(one, 'g')
      expect(press(two, 'd'), `${one} ${two}`).toBe(false)
    }
    press('p', 'g')
    expect(press('p', '/')).toBe(true)
    expect(press('p', 'd')).toBe(false)
    press('p', 'g')
    expect(press('p', 'd', { ctrlKey: true })).toBe(false)
    expect(times()).toBe(0)
    press('p', 'g')
    press('p', 'g')
    expect(press('p', 'd')).toBe(true)
  })

  it('run none if the second comes late, or with an open dialog', () => {
    const at = vi.spyOn(Event.prototype, 'timeStamp', 'get')
    at.mockReturnValue(1_000)
    press('p', 'g')
    at.mockReturnValue(1_001 + sequenceMs)
    expect(press('p', 'd')).toBe(false)
    at.mockRestore()
    press('p', 'g')
    const scope = effectScope()
    scope.run(useOpenDialog)
    expect(press('p', 'd')).toBe(false)
    scope.stop()
    expect(times()).toBe(0)
  })
})
