import { createHash } from 'node:crypto'
import { credentialWords, hiddenValue } from '@contract'
import { formsOfEach, innerSecrets, lowerCase } from '../log/secrets/secret-forms'
import type { HttpTarget } from './types'

/** Words of a header's name that say that its value is a credential, also with others in front as in "accesstoken". */
const credentialWord = new RegExp(
  `(?:${credentialWords})s?$|^(?:(?:auth|secret)?keys?|jwt|session|signature|bearer)$`,
)

/** Words that say so only at the end of a name: others follow them to say of what they are, such as "Auth-Workspace". */
const lastWord = /^(?:x?auth|pass)$/

/** Headers whose names say what they identify: answers have that too. The tenant's identifier stands in each. */
const identifyingWord =
  /^(?:id|name|workspace|org\w*|project|account|team|user|region|env\w*|stage|version|agent|tenant)$/

/**
 * How many bytes are looked at, and how many escapes are undone, in one turn, which takes some milliseconds; and how
 * many bytes at all. The last is many times what the largest answer takes; a page and a service that were both taken over could agree on headers that take more.
 */
const work = { inOneTurn: 2_000_000, escapesInOneTurn: 50_000, most: 500_000_000 } as const

/** A search of one body for several texts at once, without regard to the case of ASCII letters. */
interface Search {
  /** How many bytes the longest text takes that is at a place; 0 where none is. */
  longestAt: (at: number) => number
  /** The next place, at or behind `at`, where a text may be, and none is before; `end` where none may be up to there. */
  next: (at: number, end: number) => number
  /** How many bytes were looked at so far. */
  readonly looked: number
}

/** Begins to search a body; null where there is nothing to search for. */
type BeginSearch = ((body: Uint8Array) => Search) | null

/**
 * The credentials that environments sent to each origin since the start, the last ones first: a service may repeat one
 * that was changed since, and is good for a while yet. What was only tried is none of them: a page can try what stands
 * in every answer, such as the name of a member, and none could be read any more. Long ones share some room, so that
 * they cost later requests little and none falls out for them that is short.
 */
const sent = new Map<string, string[]>()
const mostSent = { origins: 200, each: 500, long: 400, longCharacters: 100_000 } as const

/**
 * The searches for what was asked for last, by its hash: making one takes longer than searching a page, and keeping one
 * a hundred bytes for each character.
 */
const searches = new Map<string, { begin: BeginSearch; characters: number }>()
const mostSearches = { count: 16, characters: 1_000_000 } as const

/** A body that may be shown, and as it came where something was taken out of it. */
export interface HarmlessBody {
  body: Uint8Array
  unmasked: Uint8Array | null
}

/**
 * The body of a good answer with the credentials of the request taken out of it, in whatever encoding the log
 * recognises them too: a service, or a gateway in front of it, may repeat the headers that it was sent. What is found is
 * replaced in place, after the body was copied; without any it is the same one, and nothing is copied. Null where
 * searching it takes too long. What environments sent to the same origin before is taken out as well.
 *
 * Credentials are the proxy's password and the values of headers whose names say so, as far as nobody could take them
 * for an ordinary word: of at least 16 characters, or 10 of three kinds. Under any other name that does not say what it
 * identifies, a value is one that looks random: at least 20 letters and digits in a row of two kinds, or 16 of three.
 */
export async function withoutCredentials(body: Uint8Array, target: HttpTarget): Promise<HarmlessBody | null> {
  const begin = searchFor(sentTo(target))
  if (!begin) return { body, unmasked: null }
  const plain = await unescaped(body, 'outer')
  const masked = await masking(plain === body ? body : copyOf(plain), begin)
  if (!masked) return null
  // In JSON inside of a text nothing can be replaced without knowing where that begins: such an answer goes nowhere.
  const inner = await unescaped(masked.body, 'all')
  if (inner !== masked.body && (await masking(inner, begin))?.unmasked !== null) return null
  return masked.unmasked
    ? { body: masked.body, unmasked: plain === body ? masked.unmasked : body }
    : { body, unmasked: null }
}

/** Takes what is searched for out of a body, in its place. */
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
      // No text is shorter than what takes its place.
      body.copyWithin(written, copied, at)
      written += at - copied
      body.set(mask, written)
      written += mask.length
      copied = at + length
    }
    if (at < end) at += Math.max(length, 1)
    if (search.looked < pause) continue
    if (search.looked > work.most) return null
    await new Promise((resolve) => setImmediate(resolve))
    pause = search.looked + work.inOneTurn
  }
  if (!unmasked) return { body, unmasked }
  body.copyWithin(written, copied)
  return { body: body.subarray(0, written + body.length - copied), unmasked }
}

/**
 * A body in which ASCII characters that JSON lets stand are no longer escaped (`\u003d`, `\/`), as some writers do with a
 * few or all of them. `outer` keeps the meaning of the JSON, `all` also looks into JSON inside of texts, and may not. The same
 * body where nothing is escaped so.
 */
async function unescaped(body: Uint8Array, which: 'outer' | 'all'): Promise<Uint8Array> {
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
      // These two stay escaped, in the shorter way.
      if (character === quote || character === backslash) plain[written++] = backslash
      plain[written++] = character
      copied = at = behind + (body[behind] === slash ? 1 : 5)
    }
    // What lies between two of them takes next to no time.
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

/** The printable ASCII character that `u00XX` stands for at a place; null where there is none. */
function escapedAt(body: Uint8Array, at: number): number | null {
  if (body[at] !== 0x75 || body[at + 1] !== 0x30 || body[at + 2] !== 0x30) return null
  const code = 16 * digitAt(body, at + 3) + digitAt(body, at + 4)
  return code >= 0x20 && code <= 0x7e ? code : null
}

/** The value of a hexadecimal digit; NaN where there is none. */
function digitAt(body: Uint8Array, at: number): number {
  const byte = body[at] ?? 0
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN
}

/** Whether a text has credentials of the request in it, or so much text that nobody can tell. */
export async function hasCredentials(text: string, target: HttpTarget): Promise<boolean> {
  const harmless = await withoutCredentials(new TextEncoder().encode(text), target)
  return harmless === null || harmless.unmasked !== null
}

/** In memory that threads share, as the bodies of answers are. */
function copyOf(body: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(body.length))
  copy.set(body)
  return copy
}

const mask = new TextEncoder().encode(hiddenValue)

/** Remembers the credentials of an environment's request that is about to be sent, whatever becomes of it. */
export function noteCredentials(target: HttpTarget): void {
  sentTo(target)
}

/**
 * The credentials of a request first, the shortest of them before, then those that environments sent to its origin
 * before it, the last ones first: not all are looked for in every form, and long ones that a page made up must not take
 * the place of the request's own, nor a long cookie that of a key.
 */
function sentTo(target: HttpTarget): string[] {
  const { origin } = new URL(target.baseUrl)
  const own = credentialsOf(target).sort((a, b) => a.length - b.length)
  const all = [...new Set([...own, ...(sent.get(origin) ?? [])])]
  if (target.environmentId !== null) keep(origin, newestOf(all))
  return all
}

function keep(origin: string, values: string[]): void {
  sent.delete(origin)
  if (values.length > 0) sent.set(origin, values)
  if (sent.size > mostSent.origins) sent.delete(sent.keys().next().value as string)
}

/** So many of several values, the newest first, and of the long ones among them as many as there is room for. */
function newestOf(values: readonly string[]): string[] {
  let left: number = mostSent.longCharacters
  return values
    .slice(0, mostSent.each)
    .filter(({ length }) => length < mostSent.long || (left -= length) >= 0)
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

/** Whether the name of a header says that its value is a credential, or the value looks like one. */
function isCredential(name: string, value: string): boolean {
  const words = wordsOf(name)
  if (words.some((word) => credentialWord.test(word)) || lastWord.test(words.at(-1) ?? '')) return true
  return !words.some((word) => identifyingWord.test(word)) && looksRandom(value)
}

/** The words of a header's name: "X-Api-Key", "X_API_KEY" and "XApiKey" have the same; numbers are none. */
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

function searchFor(values: readonly string[]): BeginSearch {
  const key = createHash('sha256').update(JSON.stringify(values)).digest('base64')
  const search = searches.get(key) ?? { begin: prepareSearch(values), characters: charactersOf(values) }
  searches.delete(key)
  searches.set(key, search)
  let characters = [...searches.values()].reduce((sum, one) => sum + one.characters, 0)
  for (const [oldest, one] of searches) {
    const isLast = oldest === key
    if (isLast || (searches.size <= mostSearches.count && characters <= mostSearches.characters)) break
    searches.delete(oldest)
    characters -= one.characters
  }
  return search.begin
}

const charactersOf = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0)

/** After Wu and Manber (1994): two bytes say how far the next text may begin, so that most bytes are never looked at. */
function prepareSearch(values: readonly string[]): BeginSearch {
  const forms = [...formsOfEach(new Set(values), () => [])].flatMap(([, own]) => [...own])
  const texts = [...new Set(forms)].map((form) => new TextEncoder().encode(form))
  if (texts.length === 0) return null
  const shortest = Math.min(...texts.map(({ length }) => length))
  const shifts = new Uint8Array(0x10000).fill(Math.min(shortest - 1, 0xff))
  /** The texts by the two bytes that end their first `shortest` ones, the longest first. */
  const byEnd = new Map<number, Uint8Array[]>()
  for (const text of texts.sort((a, b) => b.length - a.length)) {
    for (let end = 1; end < shortest; end += 1) {
      const pair = (text[end - 1]! << 8) | text[end]!
      shifts[pair] = Math.min(shifts[pair]!, shortest - 1 - end)
      if (end < shortest - 1) continue
      const same = byEnd.get(pair) ?? []
      same.push(text)
      byEnd.set(pair, same)
    }
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

/** Each byte as the lower-case letter that it may be. */
const lowered = Uint8Array.from({ length: 256 }, (_, byte) =>
  lowerCase(String.fromCharCode(byte)).charCodeAt(0),
)
