import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import AdvancedSection from '@/screens/environments/dialog/AdvancedSection.vue'

function mounted(open: boolean, errors: number) {
  const wrapper = mount(AdvancedSection, {
    props: { open, errors, 'onUpdate:open': (now: boolean) => wrapper.setProps({ open: now }) },
    slots: { default: '<input>' },
    attachTo: document.body,
  })
  return wrapper
}

it('is opened and closed by its button, and keeps what is in it', async () => {
  const wrapper = mounted(false, 0)
  const button = wrapper.get('button')
  expect(button.text()).toBe('Advanced')
  expect(button.attributes('aria-expanded')).toBe('false')
  expect(wrapper.text()).toContain('Known integrations, certificate, proxy')
  expect(wrapper.get('input').isVisible()).toBe(false)
  await wrapper.get('input').setValue('typed')

  await button.trigger('click')
  expect(button.attributes('aria-expanded')).toBe('true')
  expect(
    document.getElementById(button.attributes('aria-controls')!)?.contains(wrapper.get('input').element),
  ).toBe(true)
  expect(wrapper.get('input').isVisible()).toBe(true)
  expect(wrapper.get('input').element.value).toBe('typed')
  expect(wrapper.text()).toBe('Advanced')
  wrapper.unmount()
})

it('says how many errors it has while it is closed', async () => {
  const wrapper = mounted(false, 2)
  expect(wrapper.text()).toContain('2 errors')
  await wrapper.setProps({ open: true })
  expect(wrapper.text()).toBe('Advanced')
  wrapper.unmount()
})
