import { overdueSince } from '@domain/attention/cache-age'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import '../../../../support/properties/property-seed'

const now = Date.UTC(2026, 10, 24, 8)
const minutesAgo = (minutes: number): string => new Date(now - minutes * 60_000).toISOString()

it('allows twice the interval, and says since when that is exceeded', () => {
  expect(overdueSince(minutesAgo(29), 15, now)).toBeNull()
  expect(overdueSince(minutesAgo(31), 15, now)).toBe(minutesAgo(1))
})

it('allows every age without an interval, without a synchronisation, and if the clock was set back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), (minutes) => {
      expect(overdueSince(minutesAgo(minutes), 0, now)).toBeNull()
      expect(overdueSince(minutesAgo(-minutes), 15, now)).toBeNull()
      expect(overdueSince(null, 15, now)).toBeNull()
    }),
  )
})
