import { describe, expect, it } from 'vitest'
import { arrangedEnvironments } from '@/features/board/board'

const environment = (
  name: string,
  more: { storage?: 'built-in' | 'keychain'; isProtected?: boolean; isEmpty?: boolean } = {},
) => ({
  id: name,
  name,
  storage: 'keychain' as const,
  isProtected: false,
  isEmpty: false,
  ...more,
})
const names = (environments: readonly { name: string }[]): string[] => environments.map(({ name }) => name)

const all = [
  environment('Sandbox', { storage: 'built-in' }),
  environment('acme_prod'),
  environment('Pre-prod'),
  environment('Europe'),
  environment('Bank', { isProtected: true }),
  environment('QA'),
  environment('Development'),
]

describe('the order of columns', () => {
  it('begins with what looks least like production', () => {
    expect(names(arrangedEnvironments(all, []))).toEqual([
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
    const some = all.map((one) => ({ ...one, isEmpty: ['Development', 'Sandbox', 'QA'].includes(one.name) }))
    const order = ['Pre-prod', 'Europe', 'acme_prod', 'Bank', 'Sandbox', 'Development', 'QA']
    expect(names(arrangedEnvironments(some, []))).toEqual(order)
    expect(names(arrangedEnvironments(some, [...order].reverse()))).toEqual([...order].reverse())
  })

  it('is the chosen one, and a new environment is placed where it would be by default', () => {
    const order = ['Bank', 'gone', 'QA', 'Development']
    expect(names(arrangedEnvironments(all.slice(2), order))).toEqual([
      'Bank',
      'QA',
      'Pre-prod',
      'Europe',
      'Development',
    ])
  })
})
