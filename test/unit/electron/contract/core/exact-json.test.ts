import { exactly, parseExact } from '@contract/core/exact-json'
import { expect, test } from 'vitest'

test.each([
  '12345678901234567891',
  '-9007199254740993',
  '1e400',
  '-1E-400',
  '0.12345678901234567890',
  '3.141592653589793238462643',
  '9007199254740992.5',
])('%s keeps its digits, as a number in JSON and as a text elsewhere', (digits) => {
  for (const text of [digits, `{"a":{"b":[1,${digits},"1e400"]}}`]) {
    const exact = exactly(parseExact(text))
    expect(exact.text).toBe(text)
    expect(JSON.stringify(exact.value)).toBe(text.replace(digits, `"${digits}"`))
  }
})

test.each([
  ['9007199254740991', 9007199254740991],
  ['100000000000000000000', 1e20],
  ['1.50000000000000000000', 1.5],
  ['1e2', 100],
  ['-0.0e5', -0],
  ['0.30000000000000004', 0.30000000000000004],
  ['"12345678901234567891"', '12345678901234567891'],
  ['["\\"12345678901234567891"]', ['"12345678901234567891']],
])('%s is an ordinary value', (text, value) => {
  expect(parseExact(text)).toEqual(value)
})

test.each(['', '{"a":12345678901234567891', '[1e400', '12345678901234567891.', '01234567890123456789'])(
  '%j is not JSON',
  (text) => {
    expect(() => parseExact(text)).toThrow(SyntaxError)
  },
)
