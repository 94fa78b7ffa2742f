import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonParts } from '@/components/json-parts'
import { statusLook } from '@/components/status-words'
import { relativeTime } from '@/components/time-words'

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
  expect(statusLook('AWAITING_FINAL_DELETE').word).toBe('AWAITING_FINAL_DELETE')
  expect(statusLook('constructor').word).toBe('constructor')
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
            jsonParts(text)
              .map((part) => part.text)
              .join(''),
          ).toBe(text)
        },
      ),
    )
  })

  it('tells keys from strings', () => {
    expect(jsonParts('{"a": "b:", "c": [1, null]}').filter(({ kind }) => kind !== 'plain')).toEqual([
      { text: '"a":', kind: 'key' },
      { text: '"b:"', kind: 'string' },
      { text: '"c":', kind: 'key' },
      { text: '1', kind: 'literal' },
      { text: 'null', kind: 'literal' },
    ])
  })
})
