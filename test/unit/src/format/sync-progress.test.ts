import { describe, expect, it } from 'vitest'
import { formatSyncProgress } from '@/format/sync-progress'

describe('the progress of a synchronisation', () => {
  const start = {
    phase: 'reading' as const,
    pass: 1,
    covered: 0,
    expected: null,
    perSecond: 0,
    secondsLeft: null,
    automatic: false,
  }
  it.each([
    [{}, 'Syncing: requesting the list'],
    [{ covered: 1200, perSecond: 400.4 }, 'Syncing: 1,200 so far, 400 a second'],
    [
      { covered: 1200, expected: 5000, perSecond: 400, secondsLeft: 9.5 },
      'Syncing: 1,200 of about 5,000, 400 a second, about 10 seconds left',
    ],
    [{ covered: 260, expected: 250, perSecond: 40, secondsLeft: 0 }, 'Syncing: 260 so far, 40 a second'],
    [{ pass: 2, expected: 250 }, 'Checking: 0 of about 250'],
    [{ phase: 'confirming' as const, covered: 250 }, 'Syncing: checking deleted deployments'],
  ])('%o is %s', (more, words) => expect(formatSyncProgress({ ...start, ...more })).toBe(words))
})
