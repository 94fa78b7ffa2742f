import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonTokens } from '@/components/display/json-tokens'

describe('highlighted JSON', () => {
  it('has the same text', () => {
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

  it('distinguishes keys from strings', () => {
    expect(jsonTokens('{"a": "b:", "c": [1, null]}').filter(({ kind }) => kind !== 'plain')).toEqual([
      { text: '"a":', kind: 'key' },
      { text: '"b:"', kind: 'string' },
      { text: '"c":', kind: 'key' },
      { text: '1', kind: 'literal' },
      { text: 'null', kind: 'literal' },
    ])
  })
})
