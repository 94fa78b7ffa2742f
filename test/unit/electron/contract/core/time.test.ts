import { expect, test } from 'vitest'
import { readTime, utcTime } from '@contract/core/time'

const moment = Date.UTC(2026, 10, 28, 22, 8, 7)

test.each<[string | number, number]>([
  ['2026-11-28T22:08:07Z', 0],
  ['2026-11-28T22:08:07', 0],
  ['2026-11-28T22:08:07.142456', 142],
  ['2026-11-28T22:08:07,142', 142],
  ['2026-11-28T22:08:07.142456789Z', 142],
  ['2026-11-28t22:08:07.1z', 100],
  ['2026-11-28 22:08:07', 0],
  ['2026-11-28 22:08:07.142456 +0000 UTC', 142],
  ['2026-11-28 22:08:07 UTC', 0],
  ['2026-11-29T00:08:07+02:00', 0],
  ['2026-11-29T00:08:07+0200', 0],
  ['2026-11-29 00:08:07+02', 0],
  ['2026-11-28 16:38:07-0530', 0],
  ['20261128T220807Z', 0],
  [' 2026-11-28T22:08:07Z\n', 0],
  ['Sat, 28 Nov 2026 22:08:07 GMT', 0],
  ['Sat, 28 Nov 2026 23:08:07 +0100', 0],
  ['Saturday, 28-Nov-26 22:08:07 GMT', 0],
  [moment / 1000, 0],
  [moment / 1000 + 0.142, 142],
  [moment, 0],
  [moment * 1000, 0],
  [String(moment / 1000), 0],
  [String(moment), 0],
])('%s is one moment, in UTC if it has no zone', (value, ms) => {
  expect(readTime(value)).toBe(moment + ms)
})

test.each([
  ['2026-11-28T22:08', '2026-11-28T22:08:00.000Z'],
  ['2026-12-31T23:59:60Z', '2027-01-01T00:00:00.000Z'],
])('%s is %s', (value, expected) => {
  expect(utcTime(value)).toBe(expected)
})

test.each([
  '',
  'yesterday',
  '2026',
  '2026-13-01T00:00:00Z',
  '2026-11-28T22:61:00Z',
  '0001-01-01T00:00:00Z',
  '1 Nov',
  0,
  5,
  -1,
  Number.NaN,
  1e30,
])('%s is no time', (value) => {
  expect([readTime(value), utcTime(value)]).toEqual([null, typeof value === 'string' ? value : null])
})

test('leaves a day alone as it came, since it says no moment', () => {
  expect(utcTime('2026-11-28')).toBe('2026-11-28')
})
