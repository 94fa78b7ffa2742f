import { describe, expect, it } from 'vitest'
import { ageOf, clockTime, relativeTime, shortAge } from '@/format/time'

describe('relative times', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  it.each([
    ['2026-11-21T11:59:30Z', 'just now', 'now'],
    ['2026-11-21T11:59:10Z', '1 minute ago', '1m'],
    ['2026-11-21T11:50:00Z', '10 minutes ago', '10m'],
    ['2026-11-21T09:00:00Z', '3 hours ago', '3h'],
    ['2026-11-20T11:00:00Z', '1 day ago', '1d'],
    ['2026-11-10T12:00:00Z', '11 days ago', '11d'],
    ['2026-10-31T14:24:00Z', '20 days ago', '20d'],
    ['2026-09-23T12:00:00Z', '59 days ago', '59d'],
    ['2026-09-20T12:00:00Z', '2 months ago', '2mo'],
    ['2025-11-23T12:00:00Z', '12 months ago', '12mo'],
    ['2024-11-10T12:00:00Z', '2 years ago', '2y'],
    ['2026-11-21T12:05:00Z', 'in 5 minutes', 'in 5m'],
    ['not a time', 'not a time', 'not a time'],
  ])('%s is %s', (iso, words, short) => {
    expect(relativeTime(iso, now)).toBe(words)
    expect(shortAge(iso, now)).toBe(short)
  })
})

it('shows a time of today as the time of day, and any other with its date', () => {
  const now = new Date(2026, 10, 21, 6, 0).getTime()
  const at = (...time: [number, number, number, number, number]): string =>
    clockTime(new Date(...time).toISOString(), now)
  expect(at(2026, 10, 21, 5, 8)).toBe('05:08')
  expect(at(2026, 10, 20, 23, 58)).toBe('20 Nov 2026, 23:58')
  expect(clockTime('not a time', now)).toBe('not a time')
})

it.each([
  ['2026-11-21T11:59:30Z', 'less than 1 min old'],
  ['2026-11-21T11:59:10Z', '1 min old'],
  ['2026-11-21T11:00:01Z', '59 min old'],
  ['2026-11-21T09:00:00Z', '3 h old'],
  ['2026-11-20T11:00:00Z', '1 day old'],
  ['2026-11-10T12:00:00Z', '11 days old'],
  ['2026-11-21T12:00:30Z', 'less than 1 min old'],
  ['2026-11-21T12:05:00Z', null],
  ['not a time', null],
])('%s is %s', (iso, age) => {
  expect(ageOf(iso, Date.parse('2026-11-21T12:00:00Z'))).toBe(age)
})
