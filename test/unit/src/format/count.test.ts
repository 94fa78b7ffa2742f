import { expect, it } from 'vitest'
import { counted, formatCount } from '@/format/count'

it('separates thousands and rounds', () => {
  expect([0, 999.6, 1_234_567].map(formatCount)).toEqual(['0', '1,000', '1,234,567'])
})

it('counts with the noun that fits', () => {
  expect([0, 1, 2, 3_120].map((count) => counted(count, 'deployment'))).toEqual([
    '0 deployments',
    '1 deployment',
    '2 deployments',
    '3,120 deployments',
  ])
  expect([1, 1_000].map((count) => counted(count, 'repository', 'repositories'))).toEqual([
    '1 repository',
    '1,000 repositories',
  ])
})
