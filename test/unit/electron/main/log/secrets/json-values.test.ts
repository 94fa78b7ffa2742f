import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonValues } from '../../../../../../electron/main/log/secrets/json-values'

const isSecret = (name: string): boolean => name.endsWith('key')
const found = (json: string, deepest = 20) =>
  [...jsonValues(json, { isSecret, isNamed: false, deepest })].filter((one) => one !== null)

/** What `JSON.parse` finds, in the same order. */
function* expected(part: unknown, isNamed: boolean, depth: number): Generator<object> {
  if (typeof part === 'string') yield { text: part, isNamed, depth }
  else if (typeof part === 'number' && isNamed) yield { text: JSON.stringify(part), isNamed, depth }
  else if (Array.isArray(part)) for (const item of part) yield* expected(item, isNamed, depth + 1)
  else if (typeof part === 'object' && part !== null) {
    for (const [name, member] of Object.entries(part)) yield* expected(member, isSecret(name), depth + 1)
  }
}

it('finds what JSON.parse finds, however it is laid out', () => {
  const name = fc.oneof(fc.constantFrom('key', 'api_key', 'other', ''), fc.string({ unit: 'binary' }))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.string({ unit: 'binary' }),
      fc.constantFrom('"', '\\', '\\"', '{"key":1}', true, null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('value')),
      fc.dictionary(name, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, fc.constantFrom(0, 2, '\t'), (whole, indent) => {
      // What is parsed back has its members in the order of the text.
      const json = JSON.stringify(whole, null, indent)
      expect(found(json)).toEqual([...expected(JSON.parse(json), false, 0)])
    }),
  )
})

it('returns what looks like a value if the text is malformed, and ends', () => {
  expect(found('{"key": "abc", "other": "d').map(({ text }) => text)).toEqual(['abc', 'd'])
  expect(found('{"key": "a\\qb"}')).toEqual([{ text: 'a\\qb', isNamed: true, depth: 1 }])
  expect(found('{"key": -, "key": 12.50}').map(({ text }) => text)).toEqual(['-', '12.50'])
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\1-e k') }), (text) => {
      found(text, 3)
    }),
  )
})

it('skips what is too deep, and continues after it', () => {
  expect(found('[[["a"], "b"], {"key": "c"}]', 2).map(({ text }) => text)).toEqual(['b', 'c'])
})
