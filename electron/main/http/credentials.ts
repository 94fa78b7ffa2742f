import { createHash } from 'node:crypto'
import { credentialWords, hiddenValue } from '@contract'
import { Sequencer } from '../async'
import { runInSlices } from '../async/time-slices'
import { formsOfEach, innerSecrets, lowerCase } from '../log/secrets/secret-forms'
import type { HttpTarget } from './types'

/**
 * Words in a header's name that mean that its value is a credential, also as the end of a longer word ("accesstoken").
 */
const credentialWord = new RegExp(
  `(?:${credentialWords})s?$|^(?:(?:auth|secret)?keys?|jwt|session|signature|bearer)$`,
)

/** Words that mean a credential only at the end of a name: "Auth-Workspace", for example, isn't one. */
const lastWord = /^(?:x?auth|pass)$/

/**
 * Words in a header's name that mean an identifier. Answers contain identifiers too, such as the tenant's, so they must
 * stay.
 */
const identifyingWord =
  /^(?:id|name|workspace|org\w*|project|account|team|user|region|env\w*|stage|version|agent|tenant)$/

/**
 * How many bytes are searched, and how many escapes decoded, before other work gets a turn: a few milliseconds. `most`
 * is the number of bytes after which the search gives up. The largest usual answer takes a small part of it. A
 * compromised page and service together could choose headers that take more.
 */
const work = { inOneTurn: 2_000_000, escapesInOneTurn: 50_000, max: 500_000_000 } as const

/** A search of one body for several texts at once. It ignores the case of ASCII letters. */
interface Search {
  /** The length in bytes of the longest text that begins at a position; 0 if there is none. */
  longestAt: (at: number) => number
  /** The next position, from `at` on, where a text may begin; `end` if there is none before it. */
  next: (at: number, end: number) => number
  /** How many bytes were compared so far. */
  readonly looked: number
}

/** Starts the search of a body; null if there is nothing to search for. */
type BeginSearch = ((body: Uint8Array) => Search) | null

/**
 * The credentials that environments sent to each origin since the start, newest first. A service may repeat one that
 * was changed since and is still valid. Credentials that were only tried aren't added: a page could try a text that
 * occurs in every answer, such as a member's name, and make all answers unreadable. Long credentials share a limit, so
 * that they neither slow down later requests nor push out short ones.
 */
const sent = new Map<string, string[]>()
const maxSent = { origins: 200, each: 500, long: 400, longCharacters: 100_000 } as const

/**
 * The latest prepared searches, by the hash of their texts. It takes longer to prepare a search than to search a page.
 * A prepared search takes a hundred bytes of memory for each character.
 */
const searches = new Map<string, { begin: Promise<BeginSearch>; characters: number }>()
const maxSearches = { count: 16, characters: 1_000_000 } as const

/** A body without credentials, and the original if any were removed. */
export interface HarmlessBody {
  body: Uint8Array
  unmasked: Uint8Array | null
}

/**
 * Replaces the credentials of the request in the body of a 2xx answer, and those that environments sent to the same
 * origin before. A service, or a gateway in front of it, may repeat the headers that it received. Credentials are found
 * in all the encodings that the log knows. If there are none, the result is the same body, without a copy. Null if the
 * search takes too long.
 *
 * Credentials are the proxy's password and the values of headers whose names say so. They have at least 16 characters,
 * or 10 of three kinds, so that they can't be ordinary words. If a name says neither credential nor identifier, its
 * value counts if it looks random: at least 20 letters and digits in a row of two kinds, or 16 of three kinds.
 */
export async function redactCredentials(body: Uint8Array, target: HttpTarget): Promise<HarmlessBody | null> {
  const begin = await searchFor(sentTo(target))
  if (!begin) return { body, unmasked: null }
  const plain = await unescaped(body, 'outer')
  const masked = await masking(plain === body ? body : copyOf(plain), begin)
  if (!masked) return null
  // JSON inside a text can't be changed without knowing where it begins. If it contains a credential, the whole answer
  // is withheld.
  const inner = await unescaped(masked.body, 'all')
  if (inner !== masked.body && (await masking(inner, begin))?.unmasked !== null) return null
  return masked.unmasked
    ? { body: masked.body, unmasked: plain === body ? masked.unmasked : body }
    : { body, unmasked: null }
}

/** Replaces the texts of a search in a body, in place. */
async function masking(body: Uint8Array, begin: NonNullable<BeginSearch>): Promise<HarmlessBody | null> {
  const search = begin(body)
  let pause: number = work.inOneTurn
  let at = 0
  let written = 0
  let copied = 0
  let unmasked: Uint8Array | null = null
  while (at < body.length) {
    const end = Math.min(body.length, at + work.inOneTurn)
    at = search.next(at, end)
    const length = at < end ? search.longestAt(at) : 0
    if (length > 0) {
      unmasked ??= copyOf(body)
      // The mask is never longer than what it replaces.
      body.copyWithin(written, copied, at)
      written += at - copied
      body.set(mask, written)
      written += mask.length
      copied = at + length
    }
    if (at < end) at += Math.max(length, 1)
    if (search.looked < pause) continue
    if (search.looked > work.max) return null
    await new Promise((resolve) => setImmediate(resolve))
    pause = search.looked + work.inOneTurn
  }
  if (!unmasked) return { body, unmasked }
  body.copyWithin(written, copied)
  return { body: body.subarray(0, written + body.length - copied), unmasked }
}

/**
 * A body whose needless JSON escapes of ASCII characters (`\u003d`, `\/`) are decoded: some writers escape a few
 * characters or all of them. `outer` keeps the meaning of the JSON. `all` also decodes JSON inside texts, and may
 * change the meaning. The same body if there is no such escape.
 */
async function unescaped(body: Uint8Array, which: 'outer' | 'all'): Promise<Uint8Array> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  // Most bodies have neither, and many other escapes. A large body would block while this looks.
  const isSmall = body.length <= work.inOneTurn
  if (isSmall && !bytes.includes('\\u00') && !bytes.includes('\\/')) return body
  let plain: Uint8Array | null = null
  let written = 0
  let copied = 0
  let rounds = 0
  for (let at = body.indexOf(backslash); at >= 0; at = body.indexOf(backslash, at)) {
    let behind = at + 1
    if (which === 'all') while (body[behind] === backslash) behind += 1
    const character = body[behind] === slash ? slash : escapedAt(body, behind)
    if (character === null) at = which === 'all' ? behind : at + 2
    else {
      plain ??= new Uint8Array(body)
      plain.set(body.subarray(copied, at), written)
      written += at - copied
      // A quote and a backslash need an escape. They get the short one.
      if (character === quote || character === backslash) plain[written++] = backslash
      plain[written++] = character
      copied = at = behind + (body[behind] === slash ? 1 : 5)
    }
    // The bytes between two escapes take almost no time.
    rounds += 1
    if (rounds % work.escapesInOneTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  if (!plain) return body
  plain.set(body.subarray(copied), written)
  return plain.subarray(0, written + body.length - copied)
}

const backslash = 0x5c
const quote = 0x22
const slash = 0x2f

/** The printable ASCII character of a `u00XX` at a position; null if there is none. */
function escapedAt(body: Uint8Array, at: number): number | null {
  if (body[at] !== 0x75 || body[at + 1] !== 0x30 || body[at + 2] !== 0x30) return null
  const code = 16 * digitAt(body, at + 3) + digitAt(body, at + 4)
  return code >= 0x20 && code <= 0x7e ? code : null
}

/** The value of a hexadecimal digit; NaN if the byte isn't one. */
function digitAt(body: Uint8Array, at: number): number {
  const byte = body[at] ?? 0
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN
}

/** Whether a text contains credentials of the request, or is too long to search. */
export async function hasCredentials(text: string, target: HttpTarget): Promise<boolean> {
  const harmless = await redactCredentials(new TextEncoder().encode(text), target)
  return harmless === null || harmless.unmasked !== null
}

/** A copy in memory that threads share, like the bodies of answers. */
function copyOf(body: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(body.length))
  copy.set(body)
  return copy
}

const mask = new TextEncoder().encode(hiddenValue)

/** Remembers the credentials of an environment's request before it is sent. */
export function noteCredentials(target: HttpTarget): void {
  sentTo(target)
}

/**
 * The credentials of a request, the shortest first, then those that environments sent to its origin earlier, newest
 * first. Only the first ones are searched in every form. So the request's own come before long ones that a page made
 * up, and keys come before long cookies.
 */
function sentTo(target: HttpTarget): string[] {
  const { origin } = new URL(target.baseUrl)
  const own = credentialsOf(target).sort((a, b) => a.length - b.length)
  const all = [...new Set([...own, ...(sent.get(origin) ?? [])])]
  if (target.environmentId !== null) store(origin, newestOf(all))
  return all
}

function store(origin: string, values: string[]): void {
  sent.delete(origin)
  if (values.length > 0) sent.set(origin, values)
  if (sent.size > maxSent.origins) sent.delete(sent.keys().next().value as string)
}

/** The newest values within the limits. Long values have a limit of their own. */
function newestOf(values: readonly string[]): string[] {
  let left: number = maxSent.longCharacters
  return values.slice(0, maxSent.each).filter(({ length }) => length < maxSent.long || (left -= length) >= 0)
}

function credentialsOf({ headers, network }: HttpTarget): string[] {
  const proxy = network?.proxy
  const password = proxy?.mode === 'manual' ? proxy.credentials?.password : undefined
  const values = Object.entries(headers)
    .filter(([name, value]) => isCredential(name, value))
    .map(([, value]) => value)
  return [...values, ...(password ? [password] : [])]
    .flatMap((value) => [value, ...innerSecrets(value)])
    .filter(isUnmistakable)
}

/** Whether a header's name says that its value is a credential, or the value looks like one. */
function isCredential(name: string, value: string): boolean {
  const words = wordsOf(name)
  if (words.some((word) => credentialWord.test(word)) || lastWord.test(words.at(-1) ?? '')) return true
  return !words.some((word) => identifyingWord.test(word)) && looksRandom(value)
}

/** The words of a header's name. "X-Api-Key", "X_API_KEY" and "XApiKey" have the same words. Numbers are left out. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])(?=[A-Z])/g, '$1-')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '')
}

const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9 _.-]/]

const kindsOf = (text: string): number => kinds.filter((kind) => kind.test(text)).length

function isUnmistakable(value: string): boolean {
  const { length } = value.trim()
  return length >= 16 || (length >= 10 && kindsOf(value) >= 3)
}

const looksRandom = (value: string): boolean =>
  (value.match(/[A-Za-z0-9+=]+/g) ?? []).some(
    (run) => (run.length >= 20 && kindsOf(run) >= 2) || (run.length >= 16 && kindsOf(run) >= 3),
  )

/** Searches are made one after the other: a large one takes some memory meanwhile. */
const preparing = new Sequencer()

function searchFor(values: readonly string[]): Promise<BeginSearch> {
  const key = createHash('sha256').update(JSON.stringify(values)).digest('base64')
  const search = searches.get(key) ?? {
    begin: preparing.queue(() => runInSlices(prepareSearch(values))),
    characters: charactersOf(values),
  }
  searches.delete(key)
  searches.set(key, search)
  let characters = [...searches.values()].reduce((sum, one) => sum + one.characters, 0)
  for (const [oldest, one] of searches) {
    const isLast = oldest === key
    if (isLast || (searches.size <= maxSearches.count && characters <= maxSearches.characters)) break
    searches.delete(oldest)
    characters -= one.characters
  }
  return search.begin
}

const charactersOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

/** How many forms are worked on in one step. */
const formsInOneStep = 100

/**
 * The algorithm of Wu and Manber (1994): two bytes tell how far away the next text may begin, so most bytes are never
 * compared.
 */
function* prepareSearch(values: readonly string[]): Generator<undefined, BeginSearch> {
  const encoder = new TextEncoder()
  const known = new Set<string>()
  /** By their length. */
  const texts = new Map<number, Uint8Array[]>()
  for (const forms of formsOfEach(new Set(values), () => [])) {
    yield
    for (const form of forms?.[1] ?? []) {
      if (known.has(form)) continue
      known.add(form)
      const text = encoder.encode(form)
      const same = texts.get(text.length) ?? []
      same.push(text)
      texts.set(text.length, same)
      if (known.size % formsInOneStep === 0) yield
    }
  }
  if (known.size === 0) return null
  const lengths = [...texts.keys()].sort((a, b) => b - a)
  const shortest = lengths.at(-1)!
  const shifts = new Uint8Array(0x10000).fill(Math.min(shortest - 1, 0xff))
  /** The texts by the last two bytes of their first `shortest` bytes, longest first. */
  const byEnd = new Map<number, Uint8Array[]>()
  let added = 0
  for (const text of lengths.flatMap((length) => texts.get(length)!)) {
    for (let end = 1; end < shortest; end += 1) {
      const pair = (text[end - 1]! << 8) | text[end]!
      shifts[pair] = Math.min(shifts[pair]!, shortest - 1 - end)
      if (end < shortest - 1) continue
      const same = byEnd.get(pair) ?? []
      same.push(text)
      byEnd.set(pair, same)
    }
    added += 1
    if (added % formsInOneStep === 0) yield
  }
  return (body) => {
    let looked = 0
    const pairAt = (end: number): number => (lowered[body[end - 1]!]! << 8) | lowered[body[end]!]!
    const isAt = (text: Uint8Array, at: number): boolean => {
      for (let index = 0; index < text.length; index += 1) {
        looked += 1
        if (lowered[body[at + index]!] !== text[index]) return false
      }
      return true
    }
    return {
      get looked() {
        return looked
      },
      next(at, end) {
        const last = shortest - 1
        while (at < end && at + last < body.length) {
          looked += 1
          const shift = shifts[pairAt(at + last)]!
          if (shift === 0) return at
          at += shift
        }
        return at < end ? body.length : end
      },
      longestAt: (at) => byEnd.get(pairAt(at + shortest - 1))?.find((text) => isAt(text, at))?.length ?? 0,
    }
  }
}

/** Each byte, with ASCII letters in lower case. */
const lowered = Uint8Array.from({ length: 256 }, (_, byte) =>
  lowerCase(String.fromCharCode(byte)).charCodeAt(0),
)
