import { describe, expect, it } from 'vitest'
import { arrangedEnvironments } from '@/features/board/board'

const environment = (
  name: string,
  more: { storage?: 'built-in' | 'keychain'; profile?: { protected: boolean } } = {},
) => ({
  id: name,
  name,
  storage: 'keychain' as const,
  profile: null,
  ...more,
})
const names = (environments: readonly { name: string }[]): string[] => environments.map(({ name }) => name)

const all = [
  environment('Sandbox', { storage: 'built-in' }),
  environment('acme_prod'),
  environment('Pre-prod'),
  environment('Europe'),
  environment('Bank', { profile: { protected: true } }),
  environment('QA'),
  environment('Development'),
]

describe('the order of columns', () => {
  it('begins with what looks least like production', () => {
    expect(names(arrangedEnvironments(all, [], new Set()))).toEqual([
      'Sandbox',
      'Development',
      'QA',
      'Pre-prod',
      'Europe',
      'acme_prod',
      'Bank',
    ])
  })

  it('ends with those that were never synced, unless they were arranged by hand', () => {
    const empty = new Set(['Development', 'Sandbox', 'QA'])
    const order = ['Pre-prod', 'Europe', 'acme_prod', 'Bank', 'Sandbox', 'Development', 'QA']
    expect(names(arrangedEnvironments(all, [], empty))).toEqual(order)
    expect(names(arrangedEnvironments(all, [...order].reverse(), empty))).toEqual([...order].reverse())
  })

  it('is the chosen one, and a new environment is placed where it would be by default', () => {
    const order = ['Bank', 'gone', 'QA', 'Development']
    expect(names(arrangedEnvironments(all.slice(2), order, new Set()))).toEqual([
      'Bank',
      'QA',
      'Pre-prod',
      'Europe',
      'Development',
    ])
  })
})
