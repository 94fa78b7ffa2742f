import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import DraftNotes from '@/screens/new-deployment/notices/DraftNotes.vue'

it('is one line with its notes, which expands into a list, until it is dismissed', async () => {
  const notes = { title: 'Cloned from agent. Not copied:', items: ['Name.', 'Secret values: TOKEN.'] }
  const shown = mount(DraftNotes, { props: { notes }, attachTo: document.body })
  const toggle = shown.get('[aria-expanded]')
  expect(toggle.attributes('aria-expanded')).toBe('false')
  expect(toggle.text()).toContain('Name. Secret values: TOKEN.')
  expect(shown.findAll('li')).toHaveLength(0)
  await toggle.trigger('click')
  expect(toggle.attributes('aria-expanded')).toBe('true')
  expect(document.getElementById(toggle.attributes('aria-controls')!)?.children).toHaveLength(2)
  expect(toggle.text()).toBe(notes.title)
  await shown.findAll('button').at(-1)!.trigger('click')
  expect(shown.emitted('dismiss')).toHaveLength(1)
  shown.unmount()
})
