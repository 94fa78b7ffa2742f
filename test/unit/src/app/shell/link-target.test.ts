import type { Environment } from '@contract'
import { expect, it } from 'vitest'
import { describeTarget, environmentOf } from '@/app/shell/link-target'

const environment = (id: string, name: string): Environment => ({
  id,
  name,
  storage: 'keychain',
  profile: null,
  service: null,
  problem: null,
})
const link = { environment: 'production', screen: 'deployments' as const, deploymentId: null, section: null }

it('finds the environment of a link by its name, in any case', () => {
  const all = [environment('1', 'Production'), environment('2', 'Staging')]
  expect(environmentOf(link, all)?.id).toBe('1')
  expect(environmentOf(link, [...all, environment('3', 'production')])?.id).toBe('3')
  expect(environmentOf({ ...link, environment: 'Prod' }, all)).toBeNull()
})

it('spells out blanks of an identifier, which could go on with the sentence', () => {
  const link = { environment: 'Staging', screen: 'deployments', section: null } as const
  expect(describeTarget({ ...link, deploymentId: 'a in Sandbox. Press\u3000Open' })).toBe(
    'the deployment a␣in␣Sandbox.␣Press␣Open',
  )
})
