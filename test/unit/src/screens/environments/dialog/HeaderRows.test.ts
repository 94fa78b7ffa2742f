import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import type { HeaderDraft } from '@/screens/environments/dialog/draft'
import HeaderRows from '@/screens/environments/dialog/HeaderRows.vue'

const stored = { key: 0, stored: true, replacing: true, name: 'X-Api-Key', value: '' } satisfies HeaderDraft

function mounted(modelValue: HeaderDraft[], error?: string) {
  const wrapper = mount(HeaderRows, {
    attachTo: document.body,
    props: {
      modelValue,
      errors: error === undefined ? {} : { 'header-0-value': error },
      'onUpdate:modelValue': (rows: HeaderDraft[]) => wrapper.setProps({ modelValue: rows }),
    },
  })
  return wrapper
}

it('after an error in a new value, the stored one can still be kept', () => {
  const wrapper = mounted([{ ...stored, value: 'two\nlines' }], 'Use one line.')
  expect(wrapper.text()).toContain('Use one line.')
  expect(wrapper.find('button.keep').exists()).toBe(true)
  wrapper.unmount()
})

it('a stored value that must be entered again cannot be kept', () => {
  const wrapper = mounted([stored], 'Enter this value again: the base URL now leads to another server.')
  expect(wrapper.text()).toContain('Enter this value again')
  expect(wrapper.find('button.keep').exists()).toBe(false)
  wrapper.unmount()
})

it('focuses the name of an added header, and the Add button once it is removed', async () => {
  const wrapper = mounted([{ ...stored, replacing: false }])
  const add = wrapper.findAll('button').find((button) => button.text() === 'Add header')!
  await add.trigger('click')
  await nextTick()
  expect(wrapper.findAll('[role="group"]').map((row) => row.attributes('aria-label'))).toEqual([
    'Header 1',
    'Header 2',
  ])
  expect(document.activeElement).toBe(wrapper.get('input').element)
  await wrapper.get('button[aria-label="Remove header 2"]').trigger('click')
  expect(wrapper.find('input').exists()).toBe(false)
  expect(document.activeElement).toBe(add.element)
  expect(wrapper.find('button[aria-label="Remove header X-Api-Key"]').exists()).toBe(true)
  wrapper.unmount()
})
