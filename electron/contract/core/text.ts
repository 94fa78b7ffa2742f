/**
 * A whole number with separators: "1,200". Fractions are rounded. The system's formatter would do the same, but takes
 * milliseconds the first time, and every start writes numbers.
 */
export const formatCount = (value: number): string =>
  String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',')

/**
 * Makes texts that a service or a person chose safe to display. Vue already shows markup as text. What remains are
 * characters that are invisible or change the direction of text, and texts so long that their layout would block the
 * window.
 */

/**
 * Characters that draw nothing, or nothing but a blank: those that Unicode lets a font leave out, annotation signs, the
 * blank Braille pattern and the null notehead. Two names that differ only in them look the same.
 */
export const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{1d159}]/gu

const joined = String.raw`[\p{L}\p{M}\p{Nd}\p{Extended_Pictographic}\p{Emoji_Modifier}]`
const latin = String.raw`[\p{Script=Latin}0-9]`
const joiner = String.raw`(?:\u200c|\u200d)`

/**
 * The characters to spell out: controls, line and paragraph separators, direction controls (UAX 9), and invisible
 * characters. Two kinds stay as they are: a joiner (U+200C, U+200D) inside a word or an emoji, since Persian, Indic
 * scripts and emoji need it (Latin letters don't), and the sign that gives a pictogram or a keycap its colours
 * (U+FE0F).
 */
const unseen = new RegExp(
  [
    String.raw`(?!${joiner}|\ufe0f)(?:${invisible.source}|[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}])`,
    String.raw`(?<!${joined})${joiner}`,
    String.raw`${joiner}(?!${joined})`,
    String.raw`(?<=${latin})${joiner}(?=${latin})`,
    String.raw`(?<!\p{Extended_Pictographic})\ufe0f(?!\u20e3)`,
  ].join('|'),
  'gu',
)

/** Printable ASCII, as most texts are. It has nothing to spell out, and the pattern for that takes long to prepare. */
const plain = /^[ -~]*$/

/** How a text is displayed: its longest length in characters, and whether line breaks and tabs stay. */
export interface ShownAs {
  max?: number
  lines?: boolean
}

/** A text with unseen characters spelled out, such as ␛ or ⟨U+202E⟩, and cut if it is too long. */
export function shownText(text: string, { max = 300, lines = false }: ShownAs = {}): string {
  const rest = text.length - max
  if (rest <= 0 && plain.test(text)) return text
  // A text that was cut before (`cutText`) doesn't show how long it was.
  const length = text.endsWith('…') ? '' : ` (${formatCount(text.length)} characters)`
  const shortened = rest > 0 ? `${cut(text, max)}…${length}` : text
  return shortened.replace(unseen, (character) =>
    lines && (character === '\n' || character === '\t') ? character : writtenOut(character),
  )
}

/** Whether `shownText` has nothing to spell out. */
export const isSeen = (text: string): boolean => plain.test(text) || text.search(unseen) < 0

/** Whether a text is valid Unicode. Others can't be encoded in a path. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()

/** Whether every character of a text can be seen: each is whole, and none would be spelled out. */
export const isVisible = (text: string): boolean => isSeen(text) && isWellFormed(text)

/** Runs of spaces, blanks that look like a space, and the sign that stands for a space. */
const blanks = / +|[^\P{Zs} ]|␣/gu

/**
 * A name in a link or title. A blank name couldn't be seen or clicked. A name with blanks at its ends, with several
 * in a row or with unusual ones would look like another name, so those blanks are spelled out.
 */
export function orUnnamed(name: string): string {
  if (name.trim() === '') return 'unnamed'
  if (!name.includes(' ') && plain.test(name)) return name
  return name.replace(blanks, (found, at: number) => {
    if (!found.startsWith(' ')) return writtenOut(found)
    const isWithin = at > 0 && at + found.length < name.length
    return isWithin && found.length === 1 ? found : '␣'.repeat(found.length)
  })
}

/**
 * JSON text for display: unseen characters inside strings become JSON escapes, so that it stays the same JSON. Cut
 * after `max` characters.
 */
export function shownJson(text: string, max = 300_000): string {
  const shortened = text.length > max ? cut(text, max) : text
  const escaped = shortened.replace(unseen, (character) =>
    character === '\n' || character === '\t'
      ? character
      : character
          .split('')
          .map((unit) => `\\u${hexadecimal(unit.charCodeAt(0))}`)
          .join(''),
  )
  if (shortened === text) return escaped
  return `${escaped}…\n\n(${formatCount(text.length)} characters, of which these are the first. "Copy JSON" copies all.)`
}

/** Spells out a character that couldn't be seen or would cover others. */
function writtenOut(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '␡'
  return `⟨U+${hexadecimal(code).toUpperCase()}⟩`
}

function hexadecimal(code: number): string {
  return code.toString(16).padStart(4, '0')
}

/** The first characters of a text, without half of a surrogate pair at the end. */
function cut(text: string, max: number): string {
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** White space, line breaks, and characters that draw nothing, as they come along with a pasted text. */
const blank = /[\s\p{Cc}\u00ad\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\u2800\u3164\ufeff\uffa0]/u

/** A text without the blanks at its ends. */
export function trimBlanks(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && blank.test(text.charAt(from))) from += 1
  while (to > from && blank.test(text.charAt(to - 1))) to -= 1
  return text.slice(from, to)
}

/**
 * A form of a name, or of another text, that is equal for those that look or read the same, in which a search looks. It
 * ignores case (ß is SS, and every i is the same), Unicode composition, width and invisible characters, and turns several
 * blanks into one.
 */
export const foldName = (name: string): string =>
  isPlain.test(name)
    ? name.toLowerCase()
    : name
        .normalize('NFKC')
        .replace(invisible, '')
        .replace(/\s+/g, ' ')
        // ẞ has only a small letter that becomes SS, and a capital İ or Σ has several small ones.
        .toLowerCase()
        .toUpperCase()
        .toLowerCase()
        .replace(/i\u0307/g, 'i')
        .replaceAll('ς', 'σ')
        .normalize('NFKC')

/** ASCII without blanks, like most names. They skip the slow normalisation, because lists have thousands of them. */
const isPlain = /^[!-~]*$/

/** The folded words of a search. */
export const searchWords = (search: string): string[] => foldName(search).split(' ').filter(Boolean)
