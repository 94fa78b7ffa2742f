import { describe, expect, it } from 'vitest'
import { absoluteTime, relativeTime, shortAge } from '@/format/time'

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

it('says the time zone of an absolute time', () => {
  expect(absoluteTime('2026-11-21T12:00:00Z')).toMatch(/^2[12] Nov 2026, \d\d:\d\d:\d\d [A-Z]+\S*$/)
})
