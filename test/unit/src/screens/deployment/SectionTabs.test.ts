import { mount, type VueWrapper } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { type Component, defineComponent, h, ref } from 'vue'
import SectionTabs from '@/screens/deployment/SectionTabs.vue'

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
  wrapper.unmount()
})
