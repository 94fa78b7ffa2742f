import type { Environment, EnvironmentView } from '@contract'
import { expect, test } from 'vitest'
import { findEnvironments } from '@/components/environment/find-environments'
import { environmentView } from '../../../../support/builders/environment-view'

const environment = (name: string, profile: EnvironmentView | null): Environment => ({
  id: name,
  name,
  storage: 'keychain',
  profile,
  service: 'one',
  problem: null,
})

const environments = [
  environment('Production EU', environmentView({ baseUrl: 'https://eu.example.com' })),
  environment('Production US', environmentView({ baseUrl: 'https://us.example.com' })),
  environment('Locked', null),
]
const names = (text: string): string[] => findEnvironments(environments, text).map(({ name }) => name)

test('environments are found by every word of a text, in their name or base URL', () => {
  expect(names('')).toEqual(['Production EU', 'Production US', 'Locked'])
  expect(names('  production ')).toEqual(['Production EU', 'Production US'])
  expect(names('US prod')).toEqual(['Production US'])
  expect(names('eu.EXAMPLE')).toEqual(['Production EU'])
  expect(names('lock')).toEqual(['Locked'])
  expect(names('production lock')).toEqual([])
})
