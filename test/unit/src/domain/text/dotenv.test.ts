import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeSecrets, readEnvText } from '@/domain/text/dotenv'

const names = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/)
const values = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\r', ''))

/** A value with all its special characters escaped. */
const quoted = (value: string): string => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

describe('readEnvText', () => {
  it('reads back whatever was written in double quotes, over several lines too', () => {
    const secrets = fc.uniqueArray(fc.record({ name: names, value: values }), {
      selector: ({ name }) => name,
    })
    fc.assert(
      fc.property(secrets, fc.constantFrom('\n', '\r\n', '\n\n# a comment\n'), (list, separator) => {
        const text = list.map(({ name, value }) => `${name}=${quoted(value)}`).join(separator)
        expect(readEnvText(text)).toEqual({ secrets: list, repeated: [], problems: [] })
      }),
    )
  })

  it('never fails, and never repeats a value in its messages', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const { message } of readEnvText(`SECRETVALUE\nA="SECRETVALUE\n${text}`).problems) {
          expect(message).not.toContain('SECRETVALUE')
        }
      }),
    )
  })

  it('reads what common tools read', () => {
    const text = [
      '# comment',
      '',
      'PLAIN=a b',
      '  SPACED = c  ',
      'export EXPORTED=d',
      'COMMENTED=e # not part of it',
      'HASH=e#f',
      "SINGLE='$g \\n # h'",
      'DOUBLE="i\\nj\\"k" # comment',
      'EMPTY=',
      'URL=postgres://u:p=w@host/db?x=1',
      'PEM="-----BEGIN-----',
      'abc',
      '-----END-----"',
      'AFTER=1',
    ].join('\n')
    expect(Object.fromEntries(readEnvText(text).secrets.map(({ name, value }) => [name, value]))).toEqual({
      PLAIN: 'a b',
      SPACED: 'c',
      EXPORTED: 'd',
      COMMENTED: 'e',
      HASH: 'e#f',
      SINGLE: '$g \\n # h',
      DOUBLE: 'i\nj"k',
      EMPTY: '',
      URL: 'postgres://u:p=w@host/db?x=1',
      PEM: '-----BEGIN-----\nabc\n-----END-----',
      AFTER: '1',
    })
  })

  it('says which lines it cannot read and continues after them; the last entry for a name counts', () => {
    expect(readEnvText('A=1\nnonsense\nB="open\nA=2\n')).toEqual({
      secrets: [{ name: 'A', value: '2' }],
      repeated: ['A'],
      problems: [
        { line: 2, message: 'NAME=value is expected.' },
        { line: 3, message: 'The value of B has no closing quote.' },
      ],
    })
  })
})

describe('mergeSecrets', () => {
  it('replaces values, keeps the order, adds the new, and drops empty rows', () => {
    expect(
      mergeSecrets(
        [
          { name: 'A', value: '1' },
          { name: '', value: '' },
          { name: 'B', value: '' },
        ],
        [
          { name: 'B', value: '2' },
          { name: 'C', value: '3' },
        ],
      ),
    ).toEqual([
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
      { name: 'C', value: '3' },
    ])
  })
})
