import type { ColumnChoice } from '@contract/ipc/screens'
import { expect, it } from 'vitest'
import { arrangeColumns, moveColumn } from '@/domain/list/column-choices'

const keys = ['name', 'status', 'source', 'updated']
const choice = (key: string, more: Partial<ColumnChoice> = {}): ColumnChoice => ({
  key,
  isShown: true,
  width: null,
  ...more,
})
const order = (columns: readonly ColumnChoice[]): string => columns.map(({ key }) => key).join(' ')

it('has every column as it was left, and the default ones initially', () => {
  expect(arrangeColumns(keys, [], 'name')).toEqual(keys.map((key) => choice(key)))
  const choices = [
    choice('updated', { width: 90 }),
    choice('source', { isShown: false }),
    choice('name'),
    choice('status'),
  ]
  expect(arrangeColumns(keys, choices, 'name')).toEqual(choices)
})

it('moves a column by one place, and none beyond the ends', () => {
  const columns = keys.map((key) => choice(key))
  expect(order(moveColumn(columns, 'source', -1))).toBe('name source status updated')
  expect(order(moveColumn(columns, 'name', 1))).toBe('status name source updated')
  for (const [key, by] of [
    ['name', -1],
    ['updated', 1],
    ['unknown', 1],
  ] as const) {
    expect(order(moveColumn(columns, key, by))).toBe(keys.join(' '))
  }
})
