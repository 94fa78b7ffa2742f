import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { nextTick } from 'vue'
import EnvironmentRows from '@/screens/overview/EnvironmentRows.vue'
import { stateOf } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

it('draws environments some at a time, and always the current one', async () => {
  startApp()
  const ids = Array.from({ length: 199 }, (_, index) => `environment ${index + 1}`)
  const { environments } = stateOf('environment 0', ...ids)
  const table = mount(EnvironmentRows, {
    props: {
      environments,
      overviews: new Map(),
      currentId: 'environment 120',
      max: 50,
      'onUpdate:max': (max: number) => table.setProps({ max }),
    },
  })
  const keys = (): (string | undefined)[] =>
    table.findAll<HTMLElement>('tbody tr').map(({ element }) => element.dataset.key)
  expect(keys()).toHaveLength(51)
  expect(keys().at(-1)).toBe('environment environment 120')
  const more = table.findAll('button').at(-1)!
  expect(more.text()).toBe('Show 50 of 149 more')
  await more.trigger('click')
  await nextTick()
  expect(keys().at(99)).toBe('environment environment 99')
  expect(keys()).toHaveLength(101)
  table.unmount()
})
