import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldName, orUnnamed, shownJson, shownText } from '@contract/core/text'
import { cutText } from '@contract'

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
