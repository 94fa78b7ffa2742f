import type { Environment } from '@contract'
import { expect, test } from 'vitest'
import { findEnvironments } from '@/components/environment/find-environments'

const environment = (name: string, baseUrl: string | null): Environment => ({
  ...{ id: name, name, kept: 'keychain', service: 'one', problem: null },
  profile: {
    ...{
      baseUrl,
      mode: 'cloud',
      colour: 'blue',
      protected: false,
      readOnly: false,
      headerNames: [],
      integrations: [],
      nicknames: {},
    },
    trust: { kind: 'system' },
    proxy: { mode: 'system' },
  },
})

const environments = [
  environment('Production EU', 'https://eu.example.com'),
  environment('Production US', 'https://us.example.com'),
  { ...environment('Locked', null), profile: null },
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
