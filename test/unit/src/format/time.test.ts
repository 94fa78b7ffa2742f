import { describe, expect, it } from 'vitest'
import { relativeTime } from '@/format/time'

describe('relative times', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  it.each([
    ['2026-11-21T11:59:30Z', 'just now'],
    ['2026-11-21T11:59:10Z', '1 minute ago'],
    ['2026-11-21T09:00:00Z', '3 hours ago'],
    ['2026-11-20T11:00:00Z', 'yesterday'],
    ['2026-11-10T12:00:00Z', 'last week'],
    ['2024-11-10T12:00:00Z', '2 years ago'],
    ['2026-11-21T12:05:00Z', 'in 5 minutes'],
    ['not a time', 'not a time'],
  ])('%s is %s', (iso, words) => expect(relativeTime(iso, now)).toBe(words))
})
