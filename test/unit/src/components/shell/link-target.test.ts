import type { Environment } from '@contract'
import { expect, it } from 'vitest'
import { describeTarget, environmentOf, pathOf } from '@/components/shell/link-target'

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

it('opens the section of a deployment that it names, and says so', () => {
  const history = { ...link, deploymentId: 'a/b', section: 'history' as const }
  expect([pathOf(history), describeTarget(history)]).toEqual([
    '/deployments/a%2Fb?section=history',
    'the history of the deployment a/b',
  ])
  const overview = { ...history, section: 'overview' as const }
  expect(describeTarget(overview)).toBe('the deployment a/b')
})

it('spells out blanks of an identifier, which could go on with the sentence', () => {
  const link = { environment: 'Staging', screen: 'deployments', section: null } as const
  expect(describeTarget({ ...link, deploymentId: 'a in Sandbox. Press\u3000Open' })).toBe(
    'the deployment a␣in␣Sandbox.␣Press␣Open',
  )
})
