import { expect, it } from 'vitest'
import { nextSort, type TableSort } from '@/components/table/table-columns'

it.each([
  [undefined, ['ascending', 'descending', undefined, 'ascending']],
  ['descending', ['descending', 'ascending', undefined, 'descending']],
] as const)('sorts one way, the other, and not at all (firstOrder: %s)', (firstOrder, expected) => {
  let sort: TableSort | null = { key: 'another', order: 'descending' }
  const orders = expected.map(() => {
    sort = nextSort({ key: 'created', firstOrder }, sort)
    return sort?.order
  })
  expect(orders).toEqual(expected)
})
