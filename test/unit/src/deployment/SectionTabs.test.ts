import { mount, type VueWrapper } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { type Component, defineComponent, h, ref } from 'vue'
import SectionTabs from '@/features/deployment/SectionTabs.vue'

const tabs = ['one', 'two', 'three'].map((id) => ({ id, label: `Tab ${id}` }))

function mounted(): VueWrapper {
  const modelValue = ref('one')
  const choose = (id: string): void => {
    modelValue.value = id
  }
  const Parent = defineComponent(
    () => () =>
      h(
        SectionTabs as Component,
        { label: 'Sections', tabs, modelValue: modelValue.value, 'onUpdate:modelValue': choose },
        () => 'content',
      ),
  )
  return mount(Parent, { attachTo: document.body })
}

it.each([
  ['out of view', 40, 1],
  ['in view', 300, 0],
])('brings a chosen section into view if it is %s', async (_where, left, times) => {
  const wrapper = mounted()
  const list = wrapper.get('[role=tablist]').element
  vi.spyOn(list, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 0, window.innerHeight - left))
  const scrolled = vi.spyOn(list, 'scrollIntoView').mockReturnValue()
  await wrapper.findAll('[role=tab]')[1]!.trigger('mousedown')
  expect(scrolled).toHaveBeenCalledTimes(times)
})
