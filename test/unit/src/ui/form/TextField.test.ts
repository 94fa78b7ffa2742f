import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import TextField from '@/ui/form/TextField.vue'

it('is submitted by Enter, but not by the one that ends the composition of an input method', async () => {
  const wrapper = mount(TextField, { props: { label: 'Name', modelValue: '' } })
  const input = wrapper.get('input')
  await input.trigger('keydown', { key: 'Enter', isComposing: true })
  expect(wrapper.emitted('enter')).toBeUndefined()
  await input.trigger('keydown', { key: 'Enter' })
  expect(wrapper.emitted('enter')).toHaveLength(1)
})
