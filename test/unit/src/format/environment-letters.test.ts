import { expect, it } from 'vitest'
import { environmentLetters } from '@/format/environment-letters'

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
