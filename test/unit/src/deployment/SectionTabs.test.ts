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

it('moves by arrows, Home and End, wraps around at the ends, and moves the focus along', async () => {
  const wrapper = mounted()
  const press = async (key: string, more = {}): Promise<string> => {
    await wrapper.get('[role=tablist]').trigger('keydown', { key, ...more })
    return wrapper.get('[aria-selected=true]').text()
  }
  expect(await press('ArrowRight')).toBe('Tab two')
  expect(document.activeElement?.textContent?.trim()).toBe('Tab two')
  expect(await press('End')).toBe('Tab three')
  expect(await press('ArrowRight')).toBe('Tab one')
  expect(await press('ArrowLeft')).toBe('Tab three')
  expect(await press('Home')).toBe('Tab one')
  expect(await press('a')).toBe('Tab one')
  // Alt with an arrow goes back and forward.
  expect(await press('ArrowRight', { altKey: true })).toBe('Tab one')
})

it.each([
  ['out of view', 40, 1],
  ['in view', 300, 0],
])('brings a chosen section into view if it is %s', async (_where, left, times) => {
  const wrapper = mounted()
  const list = wrapper.get('[role=tablist]').element
  vi.spyOn(list, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 0, window.innerHeight - left))
  const scrolled = vi.spyOn(list, 'scrollIntoView').mockReturnValue()
  await wrapper.findAll('[role=tab]')[1]!.trigger('click')
  expect(scrolled).toHaveBeenCalledTimes(times)
})
