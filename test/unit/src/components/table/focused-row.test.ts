import { describe, expect, it } from 'vitest'
import { withFocusedRow } from '@/components/table/focused-row'

const range = { startIndex: 30, endIndex: 32, overscan: 1, count: 60 }
const inView = [29, 30, 31, 32, 33]
const rows = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe('the rows to draw', () => {
  it.each([
    ['no focus', null, inView],
    ['the focus in view', 31, rows(21, 41)],
    ['the focus in the last row that is drawn', 33, rows(23, 43)],
    ['the focus far above', 15, [...rows(5, 25), ...inView]],
    ['the focus in the first row', 0, [...rows(0, 10), ...inView]],
    ['the focus in the last row', 59, [...inView, ...rows(49, 59)]],
    ['the focus in a row that is gone', 60, inView],
  ])('with %s', (_case, focused, drawn) => {
    expect(withFocusedRow(range, focused)).toEqual(drawn)
  })
})
