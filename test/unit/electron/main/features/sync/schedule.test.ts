import { expect, test } from 'vitest'
import { Schedule } from '../../../../../../electron/main/features/sync/schedule'

const minute = 60_000

test('is due at once if it never ran, otherwise after the interval, and never at 0', () => {
  expect(new Schedule(null).isDue(0, 15)).toBe(true)
  expect(new Schedule(0).isDue(14 * minute, 15)).toBe(false)
  expect(new Schedule(0).isDue(15 * minute, 15)).toBe(true)
  expect(new Schedule(null).isDue(1e12, 0)).toBe(false)
})

test('waits longer after every failure, an hour at most, and not after a success', () => {
  const schedule = new Schedule(null)
  const waits = Array.from({ length: 9 }, () => {
    schedule.ended(0, 0, false)
    return Array.from({ length: 61 }, (_, minutes) => minutes).find((at) => schedule.isDue(at * minute, 5))
  })
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
  schedule.ended(0, 0, true)
  expect(schedule.isDue(5 * minute, 5)).toBe(true)
})
