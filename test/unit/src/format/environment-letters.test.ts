import { expect, it } from 'vitest'
import { distinctLetters, environmentLetters } from '@/format/environment-letters'

it.each([
  ['Production', 'PR'],
  ['Production EU', 'PE'],
  ['Production US', 'PU'],
  ['Sandbox (cloud)', 'SC'],
  ['Sandbox (self-hosted)', 'SH'],
  ['staging-eu-2', 'S2'],
  ['x', 'X'],
  ['Ökologie', 'ÖK'],
  ['生产', '生产'],
  ['', ''],
  ['—', ''],
])('an environment named %j has the letters %j', (name, letters) => {
  expect(environmentLetters(name)).toBe(letters)
})

it('no two environments have the same letters, and the first keeps the usual ones', () => {
  const names = [
    'Checkout production',
    'Catalogue production',
    'Carts for people',
    'Production',
    'Premium',
    '—',
  ]
  expect([...distinctLetters(names).values()]).toEqual(['CP', 'CA', 'CF', 'PR', 'PE', ''])
  const many = Array.from({ length: 10 }, (_, index) => `aa ${'aa '.repeat(index)}`)
  expect(new Set(distinctLetters(many).values()).size).toBe(9)
})
