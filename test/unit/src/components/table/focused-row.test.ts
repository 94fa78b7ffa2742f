import { describe, expect, it } from 'vitest'
import { withFocusedRow } from '@/components/table/focused-row'

const range = { startIndex: 10, endIndex: 12, overscan: 1, count: 20 }
const inView = [9, 10, 11, 12, 13]

describe('the rows to draw', () => {
  it.each([
    ['no focus', null, inView],
    ['the focus in view', 11, inView],
    ['the focus in the last row that is drawn', 13, [...inView, 14]],
    ['the focus far above', 3, [2, 3, 4, ...inView]],
    ['the focus in the first row', 0, [0, 1, ...inView]],
    ['the focus in the last row', 19, [...inView, 18, 19]],
    ['the focus in a row that is gone', 20, inView],
  ])('with %s', (_case, focused, rows) => {
    expect(withFocusedRow(range, focused)).toEqual(rows)
  })
})
