import { describe, expect, it } from 'vitest'
import { loosened } from '../../../../../../electron/main/log/secrets/loose-text'

describe('a text without escapes', () => {
  it.each([
    ['in JSON, before letters that could be digits', String.raw`ab\u0026ab12`, 'abab12'],
    ['in JSON in JSON', String.raw`ab\\u003ccafe\\u003ebabe`, 'abcafebabe'],
    ['in JSON, as a letter', String.raw`a\u0062c`, 'abc'],
    ['in braces, with few digits', String.raw`ab\u{26}ab\u{62}\u{1d41a}`, 'ababba'],
    ['in scripts', String.raw`ab\x26ab\x62`, 'ababb'],
    ['as octal numbers', String.raw`ab\046ab\142`, 'ababb'],
    ['by a letter', String.raw`ab\n\\tcd`, 'abcd'],
    ['as a letter behind nothing but a backslash', String.raw`ab\zcd\\`, 'abzcd'],
    ['in a URL', 'ab%26ab%2562', 'ababb'],
    ['in HTML', 'ab&#38;ab&#x62;&amp;#98&amp;lt;c&ltc', 'ababbbcltc'],
  ])('has its letters and digits %s', (_how, text, bare) => {
    expect(loosened(text).text).toBe(bare)
  })

  // As much work as for letters, whatever the text contains: nothing is read twice.
  it.each(['\\', '\\\\u', '\\0', '%', '%2', '%25', '&', '&#', '&amp;', '&amp;#', '&#x', 'Ã', '\u{10400}'])(
    'takes work that grows with its length only if it consists of %s',
    (sign) => {
      const cpu = (text: string): number => {
        const began = process.cpuUsage()
        loosened(text)
        const { user, system } = process.cpuUsage(began)
        return (user + system) / 1_000
      }
      const length = 100_000
      const letters = Math.max(50, cpu('a'.repeat(length)))
      expect(cpu(sign.repeat(length / sign.length))).toBeLessThan(20 * letters)
    },
  )
})
