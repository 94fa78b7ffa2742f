import { expect, it } from 'vitest'
import { formatCount } from '@contract/core/count'

it('separates thousands and rounds', () => {
  expect([0, 999.6, 1_234_567].map(formatCount)).toEqual(['0', '1,000', '1,234,567'])
})
