import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { foldName, orUnnamed, shownJson, shownText } from '@contract/core/text'
import { cutText, replaceUrlCredentials, urlCredentialsIn, urlCredentialTexts } from '@contract'
import { exactly, parseExact } from '@contract/core/exact-json'

describe('what someone else wrote', () => {
  const unseen = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/u

  /** Texts with many dangerous characters. */
  const hostile = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          '\u202e',
          '\u2066',
          '\u200f',
          '\u0000',
          '\u001b[31m',
          '\u007f',
          '\u2028',
          '\ud83d\ude00',
        ),
      ),
    )
    .map((parts) => parts.join(''))

  describe('a text that someone else chose', () => {
    it('shows nothing that is invisible or reverses the text', () => {
      fc.assert(fc.property(hostile, (text) => !unseen.test(shownText(text))))
    })

    it('spells out unseen characters and leaves all other text unchanged', () => {
      expect(shownText('safe\u202egpj.exe')).toBe('safe⟨U+202E⟩gpj.exe')
      expect(shownText('\u001b[2J\u0000\u007f')).toBe('␛[2J␀␡')
      expect(shownText('<script>alert(1)</script>')).toBe('<script>alert(1)</script>')
      expect(shownText('سلام 👩‍💻 می‌خواهم')).toBe('سلام 👩‍💻 می‌خواهم')
    })

    it('is cut if it is too long, never inside a character', () => {
      expect(shownText('x'.repeat(1_048_576))).toBe(`${'x'.repeat(300)}… (1,048,576 characters)`)
      expect(shownText('ab😀c', { max: 3 })).toBe('ab… (5 characters)')
      // A text that was cut before it arrived was longer.
      expect(shownText(cutText('x'.repeat(1_000), 500), { max: 100 })).toBe(`${'x'.repeat(100)}…`)
    })
  })

  describe('an invisible character', () => {
    it.each([
      '\u00ad',
      '\u034f',
      '\u115f',
      '\u17b4',
      '\u180e',
      '\u2800',
      '\u3164',
      '\ufe0f',
      '\ufff9',
      '\u{1d159}',
      '\u{e0100}',
      // Joins nothing here.
      '\u200c',
      '\u200d',
    ])('%j is written out, so that a name with it differs from one without', (character) => {
      expect(shownText(`prod${character}`)).toMatch(/^prod⟨U\+[0-9A-F]{4,5}⟩$/)
      expect(shownText(`pr${character}od`)).not.toBe(`pr${character}od`)
      expect(shownText(character)).toMatch(/^⟨/)
      expect(shownJson(JSON.stringify(character))).toMatch(/^"(\\u[0-9a-f]{4})+"$/)
      expect(foldName(`Prod${character}`)).toBe('prod')
    })

    it.each(['⚠️ Production', '1️⃣ first', '❤️‍🔥', '👩🏽‍💻', 'می‌خواهم', 'PDF‌ها', 'क्‍ष'])(
      'stays if it is part of a visible character: %j',
      (text) => expect(shownText(text)).toBe(text),
    )
  })

  describe('a name that someone else chose', () => {
    it.each([
      ['  lead', '␣␣lead'],
      ['in the middle ', 'in the middle␣'],
      ['plain', 'plain'],
      ['two words', 'two words'],
      ['a  b', 'a␣␣b'],
      ['\u00a0prod', '⟨U+00A0⟩prod'],
      ['prod\u3000', 'prod⟨U+3000⟩'],
      ['my\u2003app', 'my⟨U+2003⟩app'],
      ['␣prod', '⟨U+2423⟩prod'],
      ['   ', 'unnamed'],
    ])('%j is shown as %j', (name, shown) => {
      expect(orUnnamed(name)).toBe(shown)
    })
  })

  describe('JSON that someone else chose', () => {
    it('is shown as the same JSON without unseen characters', () => {
      fc.assert(
        fc.property(fc.dictionary(hostile, hostile), (value) => {
          const shown = shownJson(JSON.stringify(value, null, 2))
          expect(shown.replace(/\n/g, '')).not.toMatch(unseen)
          expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)))
        }),
      )
    })
  })
})

describe('URLs', () => {
  describe('the credentials in URLs', () => {
    it.each([
      ['https://user:password@host.example/team/agent.git', 'user:password', true],
      ['https://user:p@ss:w@host.example/team', 'user:p@ss:w', true],
      ['https://:secret@host.example/', ':secret', true],
      ['https://oauth2:glpat-abc@gitlab.example.com/team/agent.git', 'oauth2:glpat-abc', true],
      ['https://x-access-token:ghs_abc@github.com/acme/agent', 'x-access-token:ghs_abc', true],
      ['https://ghp_0123456789@github.com/acme/agent', 'ghp_0123456789', true],
      [
        'https://0123456789abcdef0123456789abcdef01234567@github.com/acme',
        '0123456789abcdef0123456789abcdef01234567',
        true,
      ],
      ['https://someone@bitbucket.org/acme/agent.git', 'someone', false],
      ['https://acme@dev.azure.com/acme/project/_git/agent', 'acme', false],
      ['pip install git+https://someone:pw@host.example/lib.git', 'someone:pw', true],
      ['ssh://git:pw@host.example/agent.git', 'git:pw', true],
      ['postgres://u:p@db:5432/app', 'u:p', true],
      ['https://host.example/agent.git?private_token=abc', 'abc', true],
      ['https://host.example/x?a=1&access_token=abc#top', 'abc', true],
    ])('of %s are found, and replaced', (text, credentials, isCertain) => {
      expect(urlCredentialsIn(text)).toEqual([{ text: credentials, isCertain }])
      expect(replaceUrlCredentials(text, () => '…')).toBe(text.replace(credentials, '…'))
    })

    it.each([
      'https://host.example/team/agent.git',
      'ssh://git@host.example:2222/agent.git',
      'git@github.com:acme/agent.git',
      'https://host.example/@scope/agent',
      'https://host.example/agent?ref=main@2',
      'npm install @scope/package@1.0.0',
      'registry.example.com/agent@sha256:0123',
    ])('are none in %s', (text) => {
      expect(urlCredentialsIn(text)).toEqual([])
    })

    it('are kept out of logs and failures whole, and as passwords', () => {
      expect(urlCredentialTexts({ a: [{ repo_url: 'https://user:pw@host.example' }] })).toEqual([
        'user:pw',
        'pw',
      ])
    })
  })
})

describe('numbers in JSON', () => {
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
})
