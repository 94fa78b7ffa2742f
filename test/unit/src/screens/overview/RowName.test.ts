import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import RowName from '@/screens/overview/RowName.vue'

it.each(['/deployments/1', null])('has the whole of a name that is cut, as its title (path %s)', (path) => {
  const name = 'agent-'.repeat(50)
  const row = mount(RowName, { props: { name, path } })
  expect(row.attributes('title')).toBe(name)
  expect(row.text()).toMatch(/^agent-/)
  row.unmount()
})
