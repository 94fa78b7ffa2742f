import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { iso } from '../../../../../../electron/cache/store/history/iso'

it('returns what toISOString returns, for times in any order', () => {
  const moment = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 0, 3) }),
    fc.double({ min: 0, max: 4e12, noNaN: true }),
  )
  fc.assert(
    fc.property(fc.array(moment), (moments) => {
      expect(moments.map(iso)).toEqual(moments.map((one) => new Date(one).toISOString()))
    }),
  )
  expect(iso(Date.UTC(2026, 10, 24))).toBe('2026-11-24T00:00:00.000Z')
  expect(() => iso(Number.NaN)).toThrow(RangeError)
})
