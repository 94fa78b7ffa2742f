/**
 * Of secrets that come together so many characters are looked for in every form, and so many at all: a page that was
 * taken over could hold up the main process with many or long ones. The first is more than requests usually have, the
 * second all that one can have: secrets (`secretLimits`), fifty header values of 8,192 and a proxy's password.
 */
const mostAtOnce = { encoded: 16_000, plain: 1_500_000 } as const

/** A longer part is cut into pieces of this length, so that a piece of a long secret is recognised too. */
const pieceLength = 64

/**
 * No form is longer: a piece has at most twice the length of one, and a character takes nine where a URL has each of its
 * bytes encoded.
 */
export const longestForm = 2 * pieceLength * 9

/** Shorter words of a secret, and encoded forms that are shorter, are no forms of their own. */
const shortestPart = 8

/** What `formsOfEach` gives of a secret: the secret, its forms, its bare forms and its unquoted ones. */
export type FormsOfSecret = [secret: string, forms: Set<string>, bare: Set<string>, unquoted: Set<string>]

/**
 * The forms in which texts may repeat each of several secrets, in lower case; less of the last where they are long. `bare`
 * are those that are none of another one, of what is not too long for it: as it is, and in hexadecimal. `unquoted` are to
 * be looked for in texts without their quoting (see `unquoted`).
 *
 * @param within gives what a secret has in it that is one by itself
 * @param isUnquoted whether one unquoted form may stand for those of each piece of a long secret that only quote it
 */
export function* formsOfEach(
  secrets: Iterable<string>,
  within: (secret: string) => string[] = innerSecrets,
  isUnquoted = false,
): Generator<FormsOfSecret> {
  let { encoded, plain } = mostAtOnce as { encoded: number; plain: number }
  for (const secret of secrets) {
    plain -= secret.length
    if (plain < 0) return
    encoded -= secret.length
    const pieces = piecesOf(secret)
    const bare = new Set<string>()
    if (encoded < 0 && isUnquoted && pieces.length > 1) {
      const { forms, unquoted } = fewForms(pieces)
      yield [secret, forms, bare, unquoted]
      continue
    }
    const forms = new Set(pieces.flatMap(plainForms))
    if (encoded >= 0) {
      for (const part of [secret, ...within(secret)].flatMap(piecesOf)) {
        for (const form of [...plainForms(part), ...encodedForms(part)]) forms.add(form)
        for (const form of [part, ...hexadecimal(part).slice(0, 1)]) bare.add(form)
      }
      for (const whole of [secret, ...within(secret)])
        base64Lines(whole.trim()).forEach((line) => forms.add(line))
    }
    yield [secret, forms, bare, new Set()]
  }
}

/**
 * The pieces of a long secret as they are, and unquoted: quotes and backslashes alone would otherwise make seven forms of
 * each. A piece that consists of little else is looked for as it is and in JSON.
 */
function fewForms(pieces: readonly string[]): { forms: Set<string>; unquoted: Set<string> } {
  const forms = new Set<string>()
  const bare = new Set<string>()
  for (const piece of pieces) {
    const plain = lowerCase(piece)
    forms.add(plain)
    if (!changedByQuoting.test(plain)) continue
    const form = unquoted(plain)
    if (form.length >= shortestUnquoted) bare.add(form)
    else forms.add(inJson(plain))
  }
  return { forms, unquoted: bare }
}

/** Fewer characters that no quoting changes may be an ordinary word. */
const shortestUnquoted = 10

/** What quoting adds, takes away or writes as something else. */
const changedByQuoting = /[\\'"/\p{Cc}]/u

const quoting = /[\\'\p{Cc}]/gu

/**
 * A text without backslashes and apostrophes, and with the letter of its escape for each control character: the same for a
 * text as it is, between apostrophes, in JSON, and in JSON in JSON.
 */
export const unquoted = (text: string): string => text.replace(quoting, withoutQuoting)

const withoutQuoting = (sign: string): string =>
  sign === '\\' || sign === "'" ? '' : inJson(sign).replaceAll('\\', '')

/** A text as `unquoted` gives it, with where each of its characters was. */
export function unquotedWithPlaces(text: string): { text: string; places: number[] } {
  const places: number[] = []
  const shown = Array.from({ length: text.length }, (_, at) => {
    const sign = unquoted(text[at]!)
    for (let index = 0; index < sign.length; index += 1) places.push(at)
    return sign
  })
  return { text: shown.join(''), places }
}

/** The pieces by which a secret is recognised; a short one is a piece of its own. */
function piecesOf(secret: string): string[] {
  const whole = secret.trim()
  if (whole.length <= 2 * pieceLength) return whole === '' ? [] : [whole]
  const count = Math.floor((whole.length + pieceLength - shortestPart) / pieceLength)
  // Pieces that overlapped would leave the end of the last one, where a text has them all.
  return Array.from({ length: count }, (_, index) =>
    whole.slice(index * pieceLength, index === count - 1 ? undefined : (index + 1) * pieceLength),
  )
}

/**
 * What a secret has in it that is one by itself: its longer words (such as the token after "Bearer"), the values of
 * parameters (such as one of several cookies), and what credentials of the scheme Basic say (RFC 7617).
 */
export function innerSecrets(secret: string): string[] {
  return [secret, ...basicCredentials(secret)].flatMap((text, index) => {
    const words = text
      .split(/[\s;,]+/)
      .flatMap((word) => [word, word.replace(/^[^=]*=/, '').replace(/^"|"$/g, '')])
      .filter((word) => word.length >= shortestPart)
    return [...new Set(index === 0 ? words : [text, ...words])]
  })
}

/** How a text shows a part that it repeats as it is, between apostrophes, inside of JSON, or of JSON in JSON; in lower case. */
function plainForms(part: string): string[] {
  const plain = lowerCase(part)
  const once = inJson(plain)
  // Some writers escape the slash as well (RFC 8259, 7).
  const slashed = once.replaceAll('/', '\\/')
  return once === plain && slashed === plain && !plain.includes("'")
    ? [plain]
    : [plain, once, slashed, inJson(once), ...quoted(plain)]
}

/** How Python, JavaScript, PHP and SQL show a part between apostrophes. */
function quoted(part: string): string[] {
  const escaped = part.replace(/[\\']/g, '\\$&')
  return [escaped, part.replaceAll("'", "''"), inJson(escaped)]
}

/** How a text in JSON shows a part. */
const inJson = (part: string): string => JSON.stringify(part).slice(1, -1)

/**
 * How a text shows a part in the usual encodings: of URLs, base64, hexadecimal, in HTML and XML, and escaped in JSON and
 * scripts; in lower case.
 */
function encodedForms(part: string): string[] {
  return [
    ...urlEncoded(part),
    ...base64(part),
    ...hexadecimal(part),
    ...inMarkup(part),
    ...inScripts(part),
    escaped(part),
    inAscii(part),
  ].map(lowerCase)
}

/** In lower case as far as that keeps every character in its place. */
export function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** User name with password, and the password alone. */
function basicCredentials(secret: string): string[] {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(secret)?.[1]
  if (encoded === undefined) return []
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  return [credentials, credentials.slice(credentials.indexOf(':') + 1)]
}

/** What encoders of URLs leave as it is, beside letters, digits and "-_.": JavaScript, Python, Go, PHP and Java differ. */
const leftInUrls = ["!~*'()", '~', '~/', '~=', '~$&+=:@', '*', '', ";,/?:@&=+$!~*'()#"]

function urlEncoded(text: string): string[] {
  try {
    const usual = leftInUrls.flatMap((left) => {
      const encoded = text.replace(/[^\w.-]/gu, (one) => (left.includes(one) ? one : percentEncoded(one)))
      return [encoded, encoded.replaceAll('%20', '+')]
    })
    // Rust's and older ones leave nothing but letters and digits.
    return [...usual, text.replace(/[^A-Za-z0-9]/gu, percentEncoded)]
  } catch {
    // Half a surrogate pair cannot be encoded.
    return []
  }
}

/** Every byte of a character, also of one that `encodeURIComponent` leaves. */
function percentEncoded(character: string): string {
  const encoded = encodeURIComponent(character)
  return encoded === character ? `%${codeOf(character)}` : encoded
}

const codeOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')

/** What writers of HTML and XML put for quotes; a few write more characters so (Mustache). */
const quotes: readonly Record<string, string>[] = [
  {},
  { '"': '&quot;' },
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
]

const markup = quotes.map((more): Record<string, string> => ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  ...more,
}))

function inMarkup(text: string): string[] {
  return markup.flatMap((written) => {
    const shown = text.replace(/[&<>"'/`=]/g, (one) => written[one] ?? one)
    return [shown, inJson(shown)]
  })
}

/** With what could end a script or its text escaped as `\x26`, in JSON as well. */
function inScripts(text: string): string[] {
  return [/[&<>"']/g, /[&<>"'=]/g].flatMap((special) => {
    const shown = text.replace(special, (one) => `\\x${codeOf(one)}`)
    return [shown, inJson(shown)]
  })
}

/** How base64 shows a text that begins at any place of what was encoded, without what its neighbours change. */
function base64(text: string): string[] {
  const bytes = Buffer.from(text)
  const forms: string[] = []
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    const whole = Math.floor(((before + bytes.length) * 8) / 6)
    const form = encoded.slice(Math.ceil((before * 8) / 6), whole)
    if (form.length >= shortestPart) forms.push(form, form.replaceAll('+', '-').replaceAll('/', '_'))
  }
  return forms
}

/** The lines in which base64 shows a long text, as in e-mail and in PEM (RFC 2045, 6.8; RFC 7468, 2); in lower case. */
function base64Lines(text: string): string[] {
  const encoded = lowerCase(Buffer.from(text).toString('base64'))
  return [64, 76]
    .filter((length) => encoded.length > length)
    .flatMap((length) => encoded.match(new RegExp(`.{1,${length}}`, 'g')) ?? [])
    .filter((line) => line.length >= shortestPart)
}

/** As a dump shows the bytes, and as a URL does that encodes every one of them. */
function hexadecimal(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  if (hex.length < shortestPart) return []
  return [hex, hex.replace(/../g, '%$&')]
}

/** In JSON with nothing but ASCII, as many writers make it. */
function inAscii(text: string): string {
  return inJson(text).replace(/[^\x20-\x7e]/g, escaped)
}

/** With every character escaped, as JSON may be written. */
function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const code = text.charCodeAt(index).toString(16).padStart(4, '0')
    return `\\u${code}`
  }).join('')
}
