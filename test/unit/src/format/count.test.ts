import { expect, it } from 'vitest'
import { counted } from '@/format/count'

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
