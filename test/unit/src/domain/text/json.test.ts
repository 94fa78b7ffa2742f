import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from '@/domain/text/json'

/** The error as the form shows it. */
function errorOf(text: string): string {
  const read = readJson(text)
  return read.ok ? 'read' : `${read.position.line}:${read.position.column} ${read.message}`
}

describe('readJson', () => {
  it('reads what JSON.parse reads, to the same value', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)
        expect(readJson(text)).toMatchObject({ ok: true, value: JSON.parse(text) as unknown })
      }),
    )
  })

  it('refuses what JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', ',', '}', ']', '\\', '\n', '1', "'"),
        (json, at, sign) => {
          const index = at % (json.length + 1)
          const text = json.slice(0, index) + sign + json.slice(index + 1)
          let parsed = true
          try {
            JSON.parse(text)
          } catch {
            parsed = false
          }
          const read = readJson(text)
          if (read.ok !== parsed) expect(errorOf(text)).toMatch(/appears twice|isn't a value/)
        },
      ),
    )
  })

  it('reports the position of an error and what is expected there', () => {
    expect(errorOf('')).toBe('1:1 The text ends too early')
    expect(errorOf('{\n  "cpu": 1,\n}')).toBe('3:1 A member begins with its name in double quotes')
    expect(errorOf('{\n  "cpu": 1\n  "a": 2 }')).toBe('3:3 A comma or } follows a member')
    expect(errorOf('{ "cpu" 1 }')).toBe('1:9 A colon follows the name "cpu"')
    expect(errorOf('{ "cpu": one }')).toBe('1:10 "one" isn\'t a value; texts are in double quotes')
    expect(errorOf('{ "cpu": 01 }')).toBe('1:10 "01" isn\'t a value; texts are in double quotes')
    expect(errorOf('{ "cpu": 1e999 }')).toBe('1:10 "1e999" isn\'t a value; texts are in double quotes')
    expect(errorOf('[1, 2')).toBe('1:6 A comma or ] follows an item')
    expect(errorOf('["a\nb"]')).toBe('1:2 This text has no closing quote')
    expect(errorOf('["\\x"]')).toBe("1:2 This text has a character or escape that JSON doesn't allow")
    expect(errorOf('{} {}')).toBe('1:4 Nothing may follow the value')
  })

  it('refuses nesting that would exhaust the stack', () => {
    expect(errorOf('['.repeat(100_000))).toMatch(/too deep$/)
  })

  it('keeps a member named __proto__ a member', () => {
    const read = readJson('{ "__proto__": { "polluted": true } }')
    expect(read.ok && Object.keys(read.value as object)).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
