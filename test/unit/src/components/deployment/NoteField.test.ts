import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import NoteField from '@/components/deployment/NoteField.vue'
import { useAnnotationsStore } from '@/stores/annotations/annotations'
import { settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

it('saves what was typed when it loses the focus, and when it is removed', async () => {
  const { bridge } = startApp()
  void useAnnotationsStore().open()
  const annotation = { deploymentId: 'd', name: 'agent', favourite: false, labels: [], note: 'Ask Ann.' }
  await bridge.calls.find(({ name }) => name === 'annotations.list')!.answer([annotation])
  const saved = () =>
    bridge.calls.filter(({ name }) => name === 'annotations.save').map(({ input }) => input.change)
  const field = mount(NoteField, { props: { id: 'd', name: 'agent' }, attachTo: document.body })
  const textarea = field.get('textarea')
  expect(textarea.element.value).toBe('Ask Ann.')
  await textarea.setValue('Ask Bob.')
  expect(field.text()).toContain('Not saved yet')
  await textarea.trigger('blur')
  expect(field.emitted('blur')).toHaveLength(1)
  await settled()
  expect(saved()).toEqual([{ note: 'Ask Bob.' }])
  await textarea.setValue('Ask Bob or Ann.')
  field.unmount()
  await settled()
  expect(saved().at(-1)).toEqual({ note: 'Ask Bob or Ann.' })
})
