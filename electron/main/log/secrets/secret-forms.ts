/**
 * How many characters of the secrets of one call get every form, and how many get any form. Without limits, a
 * compromised page could block the main process with many or long secrets. The first is more than requests usually
 * have. The second is the most that one can have: secrets (`secretLimits`), fifty header values of 8,192 characters and
 * a proxy's password.
 */
const maxAtOnce = { encoded: 16_000, plain: 1_500_000 } as const

/** A long secret is split into pieces of this length, so that a text with only a part of it is redacted too. */
const pieceLength = 64

/**
 * The length of the longest form: a piece has at most twice `pieceLength`, and a character takes up to nine in a URL.
 */
export const longestForm = 2 * pieceLength * 9

/** Words of a secret and encoded forms that are shorter than this aren't searched for. */
const shortestPart = 8

/** A result of `formsOfEach`: the secret, its forms, its bare forms and its unquoted forms. */
export type FormsOfSecret = [secret: string, forms: Set<string>, bare: Set<string>, unquoted: Set<string>]

/**
 * Yields the forms in which texts may repeat each secret, in lower case. Long secrets have fewer forms. `bare` forms
 * are the secret as it is and in hexadecimal, unless it is too long: all other forms can be derived from them.
 * `unquoted` forms are searched for in texts without quoting (see `unquoted`). Yields undefined after each step, so
 * that the work can be spread over several turns of the event loop.
 *
 * @param within returns the parts of a secret that are secrets themselves
 * @param isUnquoted whether one unquoted form may replace those of a long secret's pieces that differ only in quoting
 */
export function* formsOfEach(
  secrets: Iterable<string>,
  within: (secret: string) => string[] = innerSecrets,
  isUnquoted = false,
): Generator<FormsOfSecret | undefined, void> {
  let { encoded, plain } = maxAtOnce as { encoded: number; plain: number }
  for (const secret of secrets) {
    plain -= secret.length
    if (plain < 0) return
    encoded -= secret.length
    const all: FormsOfSecret = [secret, new Set(), new Set(), new Set()]
    if (encoded >= 0) yield* addAllForms(all, within(secret))
    else yield* addPlainForms(all, isUnquoted)
    yield all
  }
}

/** How many pieces without encoded forms are handled in one step. */
const piecesInOneStep = 50

/** Adds only the plain forms, for a secret that is too long for the encoded ones. */
function* addPlainForms(
  [secret, forms, , unquoted]: FormsOfSecret,
  isUnquoted: boolean,
): Generator<undefined> {
  const pieces = piecesOf(secret)
  for (const [index, piece] of pieces.entries()) {
    if (isUnquoted && pieces.length > 1) addFewForms(piece, forms, unquoted)
    else for (const form of plainForms(piece)) forms.add(form)
    if (index % piecesInOneStep === 0) yield
  }
}

function* addAllForms([secret, forms, bare]: FormsOfSecret, within: readonly string[]): Generator<undefined> {
  for (const part of [secret, ...within].flatMap(piecesOf)) {
    for (const form of [...plainForms(part), ...encodedForms(part)]) forms.add(form)
    for (const form of [part, ...hexadecimal(part).slice(0, 1)]) bare.add(form)
    yield
  }
  for (const whole of [secret, ...within]) base64Lines(whole.trim()).forEach((line) => forms.add(line))
}

/**
 * Adds a piece of a long secret as it is, and unquoted if quoting changes it. Otherwise, quotes and backslashes alone
 * would give it seven forms. A piece that is little else than those is searched for as it is and in JSON.
 */
function addFewForms(piece: string, forms: Set<string>, bare: Set<string>): void {
  const plain = lowerCase(piece)
  forms.add(plain)
  if (!changedByQuoting.test(plain)) return
  const form = unquoted(plain)
  if (form.length >= shortestUnquoted) bare.add(form)
  else forms.add(inJson(plain))
}

/** An unquoted form with fewer characters may be an ordinary word. */
const shortestUnquoted = 10

/** Characters that quoting adds, removes or replaces. */
const changedByQuoting = /[\\'"/\p{Cc}]/u

const quoting = /[\\']+/g

const control = /\p{Cc}/gu

/**
 * A text without backslashes and apostrophes. Control characters become the letter of their escape. The result is the
 * same for a text as it is, between apostrophes, in JSON, and in JSON inside JSON.
 */
export const unquoted = (text: string): string =>
  text.replace(quoting, '').replace(control, (sign) => inJson(sign).replaceAll('\\', ''))

/** The result of `unquoted`, and where each of its characters was in the text. */
export function unquotedWithPlaces(text: string): { text: string; places: number[] } {
  const places: number[] = []
  const shown = Array.from({ length: text.length }, (_, at) => {
    const sign = unquoted(text[at]!)
    for (let index = 0; index < sign.length; index += 1) places.push(at)
    return sign
  })
  return { text: shown.join(''), places }
}

/** The pieces by which a secret is found. A short secret is one piece. */
function piecesOf(secret: string): string[] {
  const whole = secret.trim()
  if (whole.length <= 2 * pieceLength) return whole === '' ? [] : [whole]
  const count = Math.floor((whole.length + pieceLength - shortestPart) / pieceLength)
  // The pieces don't overlap. Otherwise a text with all of them would keep the end of the last one.
  return Array.from({ length: count }, (_, index) =>
    whole.slice(index * pieceLength, index === count - 1 ? undefined : (index + 1) * pieceLength),
  )
}

/**
 * The parts of a secret that are secrets themselves: its longer words (such as the token after "Bearer"), the values of
 * parameters (such as one of several cookies), and the credentials inside Basic (RFC 7617).
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

/** A part as it is, between apostrophes, in JSON, and in JSON inside JSON, in lower case. */
function plainForms(part: string): string[] {
  const plain = lowerCase(part)
  const once = inJson(plain)
  // Some writers escape the slash as well (RFC 8259, 7).
  const slashed = once.replaceAll('/', '\\/')
  return once === plain && slashed === plain && !plain.includes("'")
    ? [plain]
    : [plain, once, slashed, inJson(once), ...quoted(plain)]
}

/** How Python, JavaScript, PHP and SQL write a part between apostrophes. */
function quoted(part: string): string[] {
  const escaped = part.replace(/[\\']/g, '\\$&')
  return [escaped, part.replaceAll("'", "''"), inJson(escaped)]
}

/** How JSON writes a part. */
const inJson = (part: string): string => JSON.stringify(part).slice(1, -1)

/**
 * A part in the usual encodings, in lower case: in URLs, base64, hexadecimal, HTML and XML, and escaped in JSON and
 * scripts.
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

/** Lower-cases a text so that every character keeps its position: if it isn't ASCII, only the letters A to Z. */
export function lowerCase(text: string): string {
  return isAscii.test(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

// eslint-disable-next-line no-control-regex -- ASCII has them
const isAscii = /^[\x00-\x7f]*$/

/** User name with password, and the password alone. */
function basicCredentials(secret: string): string[] {
  const encoded = /^\s*basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(secret)?.[1]
  if (encoded === undefined) return []
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  return [credentials, credentials.slice(credentials.indexOf(':') + 1)]
}

/**
 * The characters that URL encoders leave unchanged, besides letters, digits and "-_.". JavaScript, Python, Go, PHP and
 * Java differ.
 */
const leftInUrls = ["!~*'()", '~', '~/', '~=', '~$&+=:@', '*', '', ";,/?:@&=+$!~*'()#"]

function urlEncoded(text: string): string[] {
  try {
    const usual = leftInUrls.flatMap((left) => {
      const encoded = text.replace(/[^\w.-]/gu, (one) => (left.includes(one) ? one : percentEncoded(one)))
      return [encoded, encoded.replaceAll('%20', '+')]
    })
    // Encoders of Rust and some older ones leave only letters and digits unchanged.
    return [...usual, text.replace(/[^A-Za-z0-9]/gu, percentEncoded)]
  } catch {
    // Half a surrogate pair can't be encoded.
    return []
  }
}

/** Percent-encodes every byte of a character, even if `encodeURIComponent` leaves it unchanged. */
function percentEncoded(character: string): string {
  const encoded = encodeURIComponent(character)
  return encoded === character ? `%${codeOf(character)}` : encoded
}

const codeOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')

/** How HTML and XML write quotes. A few writers (Mustache) escape more characters. */
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

/** Characters that could end a script or its string, escaped as `\x26`, in JSON as well. */
function inScripts(text: string): string[] {
  return [/[&<>"']/g, /[&<>"'=]/g].flatMap((special) => {
    const shown = text.replace(special, (one) => `\\x${codeOf(one)}`)
    return [shown, inJson(shown)]
  })
}

/** Base64 of a text at any offset in the encoded data, without the characters that its neighbours change. */
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

/** The lines of base64 of a long text, as in e-mail and PEM (RFC 2045, 6.8; RFC 7468, 2); in lower case. */
function base64Lines(text: string): string[] {
  const encoded = lowerCase(Buffer.from(text).toString('base64'))
  return [64, 76]
    .filter((length) => encoded.length > length)
    .flatMap((length) => encoded.match(new RegExp(`.{1,${length}}`, 'g')) ?? [])
    .filter((line) => line.length >= shortestPart)
}

/** A text in hexadecimal: as in a hex dump, and as in a URL that encodes every byte. */
function hexadecimal(text: string): string[] {
  const hex = Buffer.from(text).toString('hex')
  if (hex.length < shortestPart) return []
  return [hex, hex.replace(/../g, '%$&')]
}

/** A text in JSON that contains only ASCII, as many writers produce it. */
function inAscii(text: string): string {
  return inJson(text).replace(/[^\x20-\x7e]/g, escaped)
}

/** A text with every character escaped, which JSON allows. */
function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const code = text.charCodeAt(index).toString(16).padStart(4, '0')
    return `\\u${code}`
  }).join('')
}
