import { expect, it } from 'vitest'
import { isQuiet } from '../../../../../../../electron/main/features/watches/rules/quiet-hours'

const at = (hours: number, minutes = 0): Date => new Date(2026, 10, 24, hours, minutes)

it('last from their start to their end, even across midnight', () => {
  const night = { from: '22:00', to: '07:00' }
  expect([21, 22, 23, 0, 6, 7, 12].map((hours) => isQuiet(night, at(hours)))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
    false,
  ])
  const noon = { from: '12:00', to: '13:30' }
  expect([at(11, 59), at(12), at(13, 29), at(13, 30)].map((time) => isQuiet(noon, time))).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(isQuiet(null, at(3))).toBe(false)
})
