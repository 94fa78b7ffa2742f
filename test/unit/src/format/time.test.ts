import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonTokens } from '@/components/display/json-tokens'
import { formatSyncProgress } from '@/format/sync-progress'
import { statusLook } from '@/format/deployment-status'
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

it('shows a status that the interface does not name as it came', () => {
  expect(statusLook('AWAITING_FINAL_DELETE').label).toBe('AWAITING_FINAL_DELETE')
  expect(statusLook('constructor').label).toBe('constructor')
  expect([statusLook('').label, statusLook(' ').label]).toEqual(['No status', 'No status'])
})

describe('coloured JSON', () => {
  it('is the same text again', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue().map((value) => JSON.stringify(value, null, 2)),
          fc.string(),
        ),
        (text) => {
          expect(
            jsonTokens(text)
              .map((part) => part.text)
              .join(''),
          ).toBe(text)
        },
      ),
    )
  })

  it('tells keys from strings', () => {
    expect(jsonTokens('{"a": "b:", "c": [1, null]}').filter(({ kind }) => kind !== 'plain')).toEqual([
      { text: '"a":', kind: 'key' },
      { text: '"b:"', kind: 'string' },
      { text: '"c":', kind: 'key' },
      { text: '1', kind: 'literal' },
      { text: 'null', kind: 'literal' },
    ])
  })
})

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
    [{}, 'Synchronising: asking for the list'],
    [{ covered: 1200, perSecond: 400.4 }, 'Synchronising: 1,200 so far, 400 a second'],
    [
      { covered: 1200, expected: 5000, perSecond: 400, secondsLeft: 9.5 },
      'Synchronising: 1,200 of about 5,000, 400 a second, about 10 seconds left',
    ],
    [
      { covered: 260, expected: 250, perSecond: 40, secondsLeft: 0 },
      'Synchronising: 260 so far, 40 a second',
    ],
    [{ pass: 2, expected: 250 }, 'Checking: 0 of about 250'],
    [{ phase: 'confirming' as const, covered: 250 }, 'Synchronising: asking for what was not seen'],
  ])('%o is %s', (more, words) => expect(formatSyncProgress({ ...start, ...more })).toBe(words))
})
