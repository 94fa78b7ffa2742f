import { expect, test } from 'vitest'
import { Schedule } from '../../../../../../electron/main/features/sync/schedule'

const minute = 60_000

test('is due at once if it never ran, otherwise after the interval, and never at 0', () => {
  expect(new Schedule(null).isDue(0, 15)).toBe(true)
  expect(new Schedule(0).isDue(14 * minute, 15)).toBe(false)
  expect(new Schedule(0).isDue(15 * minute, 15)).toBe(true)
  expect(new Schedule(null).isDue(1e12, 0)).toBe(false)
})

test('rests four times as long as the last one took', () => {
  const schedule = new Schedule(null)
  schedule.ended(0, 10 * minute, true)
  expect(schedule.isDue(39 * minute, 5)).toBe(false)
  expect(schedule.isDue(40 * minute, 5)).toBe(true)
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

test("doesn't wait for a clock that was set back", () => {
  expect(new Schedule(60 * minute).isDue(0, 5)).toBe(true)
  const failed = new Schedule(null)
  failed.ended(60 * minute, 0, false)
  expect(failed.isDue(0, 5)).toBe(true)
})
