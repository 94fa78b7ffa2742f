import { deploymentSchema } from '@contract'
import { mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import FieldList from '@/components/deployment/FieldList.vue'
import { otherFields, sourceFields } from '@/screens/deployment/sections/deployment-fields'

it('shows every member that the interface does not name', () => {
  const deployment = deploymentSchema.parse({
    id: '1',
    name: 'one',
    health: 98,
    source_config: { region: 'eu', listener_config: { zone: 1 } },
    source_revision_config: { built: true },
  })
  expect(otherFields(deployment).map(({ label }) => label)).toEqual([
    'health',
    'source_config.region',
    'source_config.listener_config.zone',
    'source_revision_config.built',
  ])
})

it('shows an integration with its nickname, and copies only its identifier', () => {
  const source_config = { integration_id: '10' }
  const deployment = deploymentSchema.parse({ id: '1', name: 'one', source_config })
  const fields = sourceFields(deployment, (id) => (id === '10' ? 'Team forge' : null))
  const field = fields.find(({ label }) => label === 'Integration ID')
  expect(field).toMatchObject({ value: '10', nickname: 'Team forge', copy: 'Copy integration ID' })
  const list = mount(FieldList, { props: { fields: [field!] }, global: { stubs: { CopyButton: true } } })
  expect(list.get('dd').text()).toBe('Team forge (10)')
  expect(list.getComponent({ name: 'CopyButton' }).attributes('text')).toBe('10')
})
