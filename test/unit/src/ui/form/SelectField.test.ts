import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { nextTick } from 'vue'
import SelectField from '@/ui/form/SelectField.vue'

const options = [
  { label: 'Ready', value: 'READY' },
  { label: 'Gone', value: 'GONE', disabled: true },
  { label: 'Unused', value: 'UNUSED' },
]

let wrapper: ReturnType<typeof mount> | undefined

function field(props: object) {
  const mounted = mount(SelectField, {
    props: {
      label: 'Status',
      options,
      modelValue: null,
      'onUpdate:modelValue': (modelValue: string | null) => mounted.setProps({ modelValue }),
      ...props,
    },
    attachTo: document.body,
  })
  wrapper = mounted
  const input = mounted.get('[role=combobox]')
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await input.trigger('keydown', { key })
    await nextTick()
  }
  const value = (): unknown => mounted.props('modelValue')
  return { input, press, value }
}

describe('a choice', () => {
  it.each([false, true])('leaves Ctrl+Enter to the screen, with what was typed: %s', async (tag) => {
    const { input, press, value } = field({ tag })
    await press('ArrowDown')
    if (tag) await input.setValue('typed')
    const keys = { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }
    const event = new KeyboardEvent('keydown', keys)
    input.element.dispatchEvent(event)
    await nextTick()
    expect(event.defaultPrevented).toBe(false)
    expect(value()).toBe(tag ? 'typed' : null)
    expect(input.attributes('aria-expanded')).toBe('false')
  })

  it('is chosen with the keyboard, skipping disabled options', async () => {
    const { press, value } = field({})
    await press('ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter')
    expect(value()).toBe('UNUSED')
  })

  it('closes without a choice on Escape, and is cleared by Delete if allowed', async () => {
    const { input, press, value } = field({ modelValue: 'READY', clearable: true })
    await press('ArrowDown', 'ArrowDown', 'Escape')
    expect(value()).toBe('READY')
    expect(input.attributes('aria-expanded')).toBe('false')
    await press('Delete')
    expect(value()).toBeNull()
  })

  it('is filtered by the letters and spaces of its label, and made by Enter only', async () => {
    const environments = ['Sandbox (cloud)', 'Sandbox (self-hosted)'].map((name) => ({
      label: name,
      value: name,
    }))
    const { press, value } = field({ options: environments })
    await press(...'sandbox (s')
    expect(value()).toBeNull()
    await press('Enter')
    expect(value()).toBe('Sandbox (self-hosted)')
  })
})

it.each([{ modelValue: null }, { several: [] }])(
  'that is empty stays as it is on Delete: %j',
  async (props) => {
    const { press } = field({ ...props, clearable: true })
    await press('Delete', 'Backspace')
    expect(wrapper!.emitted()).not.toHaveProperty('update:modelValue')
    expect(wrapper!.emitted()).not.toHaveProperty('update:several')
  },
)

describe('free entry', () => {
  it('takes what was typed when it loses the focus, or the option that this matches', async () => {
    const { input, value } = field({ tag: true })
    await input.setValue('AWAITING_FINAL_DELETE')
    await input.trigger('blur')
    expect(value()).toBe('AWAITING_FINAL_DELETE')
    await input.setValue('unused')
    await input.trigger('blur')
    expect(value()).toBe('UNUSED')
  })

  it.each(['Enter', 'leaving'])('keeps a text on %s that differs from a value only in case', async (how) => {
    const { input, press, value } = field({ tag: true, options: [{ label: 'main', value: 'main' }] })
    await input.setValue('Main')
    await (how === 'Enter' ? press('Enter') : input.trigger('blur'))
    expect(value()).toBe('Main')
  })
})
