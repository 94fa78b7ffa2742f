/** A text's letters and digits without any escapes, and their positions in the text. */
export interface LooseText {
  text: string
  /** Where each character begins and ends in the original text. */
  begins: number[]
  ends: number[]
}

/**
 * The ways to write a character, repeated escapes included: in JSON, in scripts, as an octal number, in a URL, in HTML
 * and XML. Escapes without a number stand for no letter or digit. A run of `\`, `25` or `amp;` always belongs to the
 * match. Otherwise the expression would try each of its ends, and its work would grow with the square of the run's
 * length.
 */
const written =
  /\\+(?:u(?:([0-9a-f]{4})|\{([0-9a-f]{1,6})\})|x([0-9a-f]{2})|([0-3][0-7]{2})|[abefnrtv])?|%(?:25)*([0-9a-f]{2})|&(?:amp;)*#(?:(\d{1,7})|x([0-9a-f]{1,6}));?|&(?:amp;)*(?:amp|lt|gt|quot|apos|nbsp);|[^]/giu

/** The base of each number in `written`. */
const bases = [16, 16, 16, 8, 16, 10, 16] as const

interface Character {
  code: number
  begin: number
  end: number
}

/**
 * Reduces a text to its letters and digits. Texts that display alike have the same result, however they were quoted,
 * escaped, split or spaced.
 */
export function loosened(text: string): LooseText {
  const loose: LooseText = { text: '', begins: [], ends: [] }
  for (const { code, begin, end } of joinedBytes(charactersOf(text))) {
    const letters = lettersOf(code)
    for (let index = 0; index < letters.length; index += 1) {
      loose.begins.push(begin)
      loose.ends.push(end)
    }
    loose.text += letters
  }
  return loose
}

/** A character as lower-case letters and digits without accents. Accents in the text are separate characters. */
function lettersOf(code: number): string {
  const character = String.fromCodePoint(code)
  // Most characters are ASCII, and Unicode normalisation takes ten times as long.
  if (code < 0x80) return /[a-z0-9]/i.test(character) ? character.toLowerCase() : ''
  return character
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}

function charactersOf(text: string): Character[] {
  return [...text.matchAll(written)].flatMap((match) => {
    const begin = match.index
    const end = begin + match[0].length
    const which = bases.findIndex((_, index) => match[index + 1] !== undefined)
    if (which < 0) return [{ code: match[0].codePointAt(0)!, begin, end }]
    const code = parseInt(match[which + 1]!, bases[which])
    return code > 0x10ffff ? [] : [{ code, begin, end }]
  })
}

/** Joins the bytes of a UTF-8 character that were each escaped as one character. */
function joinedBytes(characters: readonly Character[]): Character[] {
  const joined: Character[] = []
  for (let at = 0; at < characters.length; at += 1) {
    const first = characters[at]!
    const more =
      first.code < 0xc2 || first.code > 0xf4 ? 0 : first.code < 0xe0 ? 1 : first.code < 0xf0 ? 2 : 3
    const rest = characters.slice(at + 1, at + 1 + more)
    if (more === 0 || rest.length < more || rest.some(({ code }) => code < 0x80 || code > 0xbf)) {
      joined.push(first)
      continue
    }
    const bytes = Uint8Array.from([first, ...rest], ({ code }) => code)
    const code = new TextDecoder().decode(bytes).codePointAt(0)!
    joined.push({ code, begin: first.begin, end: rest.at(-1)!.end })
    at += more
  }
  return joined
}
