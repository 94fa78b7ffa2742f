import { expect, it } from 'vitest'
import {
  addRows,
  beginAt,
  extendTo,
  nothingSelected,
  selectOnly,
  type Selection,
  toggleRow,
  updateRows,
} from '@/domain/list/selection'

interface Row {
  id: string
  name?: string
}
const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id }))
const [a, b, c, d] = rows('a', 'b', 'c', 'd') as [Row, Row, Row, Row]
const ids = (selection: Selection<Row>): string[] => [...selection.rows.keys()]

it('grows and shrinks a range from its start, and keeps what was selected individually', () => {
  let selection: Selection<Row> = toggleRow(selectOnly(a), c)
  selection = extendTo(selection, [c, d])
  expect(ids(selection)).toEqual(['a', 'c', 'd'])
  selection = extendTo(selection, [c, b])
  expect(ids(selection)).toEqual(['a', 'c', 'b'])
  expect(selection.anchor).toBe('c')
})

it('forgets the previous range when another one begins', () => {
  const range = extendTo(selectOnly<Row>(a), [a, b])
  expect(ids(extendTo(beginAt(range, d), [d, c]))).toEqual(['a', 'b', 'd', 'c'])
  expect(ids(extendTo(selectOnly<Row>(d), [d]))).toEqual(['d'])
})

it('deselects a row, from which a range may begin', () => {
  const selection = toggleRow(addRows<Row>(nothingSelected, [a, b, c]), b)
  expect(ids(selection)).toEqual(['a', 'c'])
  expect(ids(extendTo(selection, [b, c, d]))).toEqual(['a', 'c', 'b', 'd'])
})

it('has rows as they were read last, and stays the same object if none was read', () => {
  const selection = extendTo(selectOnly<Row>(a), [a, b])
  const now = updateRows(selection, [{ id: 'b', name: 'new' }, c])
  expect([...now.rows.values()]).toEqual([{ id: 'a' }, { id: 'b', name: 'new' }])
  expect(updateRows(selection, [c]).rows).toBe(selection.rows)
})
