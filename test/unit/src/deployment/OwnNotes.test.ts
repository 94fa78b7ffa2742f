import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import OwnNotes from '@/features/deployment/OwnNotes.vue'
import SelectField from '@/ui/form/SelectField.vue'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

it('a label that could not be saved is saved again on Retry', async () => {
  const { bridge } = startApp()
  void useAnnotationsStore().open()
  await bridge.newest('annotations.list').answer([])
  const own = mount(OwnNotes, { props: { id: 'd', name: 'agent' } })
  await settled()
  own.getComponent(SelectField).vm.$emit('update:modelValue', 'red')
  await bridge.newest('annotations.save').fail({ retryable: true })
  await settled()
  await own
    .findAll('button')
    .find((button) => button.text() === 'Retry')!
    .trigger('click')
  const saves = bridge.callsOf('annotations.save')
  expect(saves.map(({ input }) => input.change)).toEqual([{ addLabel: 'red' }, { addLabel: 'red' }])
  expect(bridge.callsOf('annotations.list')).toHaveLength(1)
})
