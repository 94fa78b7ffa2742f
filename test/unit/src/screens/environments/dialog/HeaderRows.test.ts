import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import type { HeaderDraft } from '@/screens/environments/dialog/draft'
import HeaderRows from '@/screens/environments/dialog/HeaderRows.vue'

const mounted = (value: string, error: string) =>
  mount(HeaderRows, {
    props: {
      modelValue: [
        { key: 0, stored: true, replacing: true, name: 'X-Api-Key', value },
      ] satisfies HeaderDraft[],
      errors: { 'header-0-value': error },
    },
  })

it('an error in a new value leaves the stored one to be kept', () => {
  const wrapper = mounted('two\nlines', 'Use one line.')
  expect(wrapper.text()).toContain('Use one line.')
  expect(wrapper.find('button.keep').exists()).toBe(true)
  wrapper.unmount()
})

it('a stored value that must be entered again cannot be kept', () => {
  const wrapper = mounted('', 'Enter this value again: the base URL now leads to another server.')
  expect(wrapper.text()).toContain('Enter this value again')
  expect(wrapper.find('button.keep').exists()).toBe(false)
  wrapper.unmount()
})
