import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEnvText } from '@/features/new-deployment/draft/dotenv'

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
        expect(readEnvText(text)).toMatchObject({ secrets: list, repeated: [], problems: [] })
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

  it.each([
    ['PLAIN=a b', 'a b'],
    ['  SPACED = c  ', 'c'],
    ['export EXPORTED=d', 'd'],
    ['COMMENTED=e # not part of it', 'e'],
    ['HASH=e#f', 'e#f'],
    ['NOTHING=', ''],
    ['NOTHING= # none', ''],
    [`SINGLE='$g \\n # h'`, '$g \\n # h'],
    [`QUOTED_EMPTY=""`, ''],
    [`QUOTE_IN_TEXT=it's`, "it's"],
    ['DOUBLE="i\\nj\\"k" # comment', 'i\nj"k'],
    ['TIGHT="x"#comment', 'x'],
    ['BACKQUOTED=`a "b" c`', 'a "b" c'],
    ['URL=postgres://u:p=w@host/db?x=1', 'postgres://u:p=w@host/db?x=1'],
    ['DSN=host=db user=me', 'host=db user=me'],
    [`JSON={"a": [1, "b"]}`, '{"a": [1, "b"]}'],
    [`JSON='{"a": "b"}'`, '{"a": "b"}'],
    ['REFERENCE=${HOME}/data', '${HOME}/data'],
    ['BASE64=YWJjZA==', 'YWJjZA=='],
    ['\ufeffAFTER_MARK=1', '1'],
    ['PEM="-----BEGIN-----\nabc\n-----END-----"', '-----BEGIN-----\nabc\n-----END-----'],
    [
      'KEY=-----BEGIN PRIVATE KEY-----\\nMIIE=\\n-----END PRIVATE KEY-----\\n',
      '-----BEGIN PRIVATE KEY-----\\nMIIE=\\n-----END PRIVATE KEY-----\\n',
    ],
    [
      'KEY=-----BEGIN RSA PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\n\r\nMIIEow\r\nx8Ab3Q==\r\n-----END RSA PRIVATE KEY-----',
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEow\nx8Ab3Q==\n-----END RSA PRIVATE KEY-----',
    ],
    [
      'CHAIN=-----BEGIN CERTIFICATE-----\nA=\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nB=\n-----END CERTIFICATE-----',
      '-----BEGIN CERTIFICATE-----\nA=\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nB=\n-----END CERTIFICATE-----',
    ],
  ])('reads %j as common tools do', (line, value) => {
    const { secrets, problems } = readEnvText(
      `FIRST=1\n${line}\nLAST=1\n`.replace(/^FIRST=1\n\ufeff/, '\ufeff'),
    )
    expect(problems).toEqual([])
    expect(secrets.find(({ name }) => name !== 'FIRST')?.value).toBe(value)
    expect(secrets.at(-1)).toEqual({ name: 'LAST', value: '1' })
  })

  it.each([
    ['A="x","y"', 'Text follows the closing quote'],
    ['export A="1" B="2"', 'Text follows the closing quote'],
    [`DB_HOST='localhost'; DB_PORT=1234;`, 'Text follows the closing quote'],
    [`VAR='I'"'"'m'`, 'Text follows the closing quote'],
    [`VAR='it\\'s'`, 'Text follows the closing quote'],
    ['A="open', 'closing quote is missing'],
    ['COLOUR=#ff0000', 'begins with #'],
    ['ALONE', 'NAME=value is expected'],
    ['set A=1', 'NAME=value is expected'],
    ['KEY: value', 'NAME=value is expected'],
    ['"A"=1', 'NAME=value is expected'],
    ['1A=1', 'NAME=value is expected'],
    ['MIIEow/+x8Ab3Q==', 'NAME=value is expected'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE=\nx8Ab3Q=\n-----END PRIVATE KEY-----', 'NAME=value is expected'],
    ['-----BEGIN PRIVATE KEY-----\nMIIE=\nx8Ab3Q=', 'NAME=value is expected'],
    ['KEY=-----BEGIN PRIVATE KEY-----\nMIIE=\nx8Ab3Q=', 'END line of this key'],
    ['KEY="-----BEGIN PRIVATE KEY-----\nMIIE=\nx8Ab3Q=', 'closing quote is missing'],
  ])('refuses %j by its line', (line, message) => {
    const { problems } = readEnvText(`FIRST=1\n${line}`)
    expect(problems[0]).toEqual({ line: 2, message: expect.stringContaining(message) as string })
  })

  it('continues after lines that it cannot read; the last entry for a name counts', () => {
    expect(readEnvText('A=1\nnonsense\nB="open\nA=2\n')).toMatchObject({
      secrets: [{ name: 'A', value: '2' }],
      repeated: ['A'],
      problems: [{ line: 2 }, { line: 3 }],
    })
  })
})
