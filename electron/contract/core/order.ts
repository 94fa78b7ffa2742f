/**
 * The one order of texts: by letters, whatever their case and accents, with numbers by their value, the same on every
 * machine. English has the order of Unicode's root.
 */
export const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** ASCII in the collator's order. What comes before the digits is written as "!" and a character of its own. */
const signs = ' _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$'
const ordered = [...signs, ...'0123456789abcdefghijklmnopqrstuvwxyz']
const written = new Map(
  ordered.map((character, at) => [
    character,
    at < signs.length ? `!${String.fromCharCode(0x23 + at)}` : character,
  ]),
)
for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') written.set(letter, letter.toLowerCase())

/** Texts are ordered by their first characters, so that an index has no long keys. */
const maxLength = 200

/** How many characters of other scripts are remembered. */
const maxWritten = 20_000

/**
 * A text that a database sorts by its bytes as `collator` sorts the text itself. It is printable ASCII without a blank.
 * Letters of other scripts have the order of their code points. Equal texts in the order may be different ones.
 */
export function orderKey(text: string): string {
  const start = text.slice(0, maxLength)
  const composed = isAscii.test(start) ? start : start.normalize('NFKC')
  let key = ''
  for (const character of composed) key += written.get(character) ?? remember(character)
  return key.replace(/\d+/g, number)
}

const isAscii = /^[\0-\x7f]*$/

/** A number as its length and its digits: the longer one is the larger one. */
function number(digits: string): string {
  const value = digits.replace(/^0+/, '')
  return (value.length < 9 ? String(value.length) : `9${String(value.length).padStart(4, '0')}`) + value
}

function remember(character: string): string {
  const key = write(character)
  if (written.size < maxWritten) written.set(character, key)
  return key
}

/** A character as the ASCII that it equals in the order, else after the ASCII that it follows. */
function write(character: string): string {
  const plain = character.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  const base = plain !== '' && isEqual(plain, character) ? plain : character.toLowerCase()
  if (isEqual(base, '')) return ''
  if ([...base].length > 1) return [...base].map((one) => written.get(one) ?? write(one)).join('')
  const before = ordered.findLast((one) => collator.compare(one, base) <= 0) ?? ''
  const key = written.get(before) ?? ''
  if (isEqual(before, base)) return key
  const second = ordered.find((one) => isEqual(before + one, base))
  return second === undefined ? `${key}~${place(base)}` : key + written.get(second)!
}

const isEqual = (one: string, other: string): boolean => collator.compare(one, other) === 0

/** A code point in letters, which are no digits of a number. Chinese characters come after all other scripts. */
function place(character: string): string {
  const letters = character
    .codePointAt(0)!
    .toString(16)
    .padStart(6, '0')
    .replace(/./g, (digit) => String.fromCharCode(0x61 + parseInt(digit, 16)))
  return /\p{Script=Han}/u.test(character) ? `z${letters}` : letters
}
