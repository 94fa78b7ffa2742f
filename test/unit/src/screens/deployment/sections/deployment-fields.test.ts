import { deploymentSchema } from '@contract'
import { expect, it } from 'vitest'
import { otherFields } from '@/screens/deployment/sections/deployment-fields'

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
