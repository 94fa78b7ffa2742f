import { expect, it } from 'vitest'
import { type GridPlace, gridStep } from '@/features/board/grid'

const size = { rows: 100, columns: 6, page: 8 }
const from = { row: 10, column: 2 }
const press = (key: string, at: GridPlace = from, more: KeyboardEventInit = {}): GridPlace | null =>
  gridStep(new KeyboardEvent('keydown', { key, ...more }), at, size)

it('moves by cell, page, row and grid, and stays inside', () => {
  expect(press('ArrowRight')).toEqual({ row: 10, column: 3 })
  expect(press('ArrowUp')).toEqual({ row: 9, column: 2 })
  expect([press('j'), press('k')]).toEqual([
    { row: 11, column: 2 },
    { row: 9, column: 2 },
  ])
  expect(press('PageDown')).toEqual({ row: 18, column: 2 })
  expect(press('Home')).toEqual({ row: 10, column: 0 })
  expect(press('End')).toEqual({ row: 10, column: 6 })
  expect(press('Home', from, { ctrlKey: true })).toEqual({ row: 0, column: 0 })
  expect(press('End', from, { ctrlKey: true })).toEqual({ row: 100, column: 6 })
  expect(press('ArrowLeft', { row: 0, column: 0 })).toEqual({ row: 0, column: 0 })
  expect(press('PageDown', { row: 97, column: 0 })).toEqual({ row: 100, column: 0 })
})
