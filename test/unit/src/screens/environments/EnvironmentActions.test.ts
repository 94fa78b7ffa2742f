import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import EnvironmentActions from '@/screens/environments/EnvironmentActions.vue'
import { appState } from '../../../../support/page/fake-bridge'

it('has Remove last, away from the actions used more often', () => {
  const environment = appState('a').environments[0]!
  const wrapper = mount(EnvironmentActions, {
    props: { environment, isCurrent: false, selecting: false, isFirst: true, isLast: true },
  })
  const names = wrapper.findAll('button').map((button) => button.attributes('aria-label') ?? button.text())
  expect(names).toEqual(['Switch to', 'Edit', 'Duplicate', 'Export', 'Move up', 'Move down', 'Remove'])
})
