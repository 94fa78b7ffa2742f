import { hiddenValue } from '@contract'
import { formsOfEach, innerSecrets, lowerCase } from '../log/secret-forms'
import type { HttpTarget } from './port'

/** Headers whose values are credentials. The tenant's identifier is none, and stands in every answer. */
const credentialHeader = /auth|key|token|secret|pass|credential|session|signature|jwt/i
const identifyingHeader = /tenant/i

/** So much of a body is searched at once, in bytes, which takes some milliseconds. */
const sliceBytes = 4 * 1024 * 1024

/** Searches for several texts at once, without regard to the case of ASCII letters. */
interface Search {
  /** The length of the shortest text, in bytes. */
  shortest: number
  /** How many bytes the longest text takes that is at a place; 0 where none is. */
  longestAt: (body: Uint8Array, at: number) => number
  /** The next place, at or behind `at`, where a text may be, and none is before; the end of the body where none may. */
  next: (body: Uint8Array, at: number) => number
}

/** The searches for what was asked for last: making one takes longer than searching a page. */
const searches = new Map<string, Search | null>()
const mostSearches = 16

/**
 * The body of a good answer with the credentials of the request taken out of it, in whatever encoding the log
 * recognises them too: a service, or a gateway in front of it, may repeat the headers that it was sent. What is found is
 * replaced in place, so the body that was given is no longer of use; without any it is the same one.
 *
 * Credentials are the proxy's password and the values of headers whose names say so, as far as nobody could take them
 * for an ordinary word or name: of at least 16 characters, or 10 of three kinds. Shorter ones stay, since a deployment
 * may happen to have such a name, and one whose name was changed here would not be found again.
 */
export async function withoutCredentials(body: Uint8Array, target: HttpTarget): Promise<Uint8Array> {
  const search = searchFor(credentialsOf(target))
  if (!search) return body
  let at = search.next(body, 0)
  let written = 0
  let copied = 0
  let pause = sliceBytes
  while (at < body.length) {
    const length = search.longestAt(body, at)
    if (length > 0) {
      // No text is shorter than what takes its place.
      body.copyWithin(written, copied, at)
      written += at - copied
      body.set(mask, written)
      written += mask.length
      copied = at + length
    }
    if (at >= pause) {
      pause = at + sliceBytes
      await new Promise((resolve) => setImmediate(resolve))
    }
    at = search.next(body, at + Math.max(length, 1))
  }
  if (copied === 0) return body
  body.copyWithin(written, copied)
  return body.subarray(0, written + body.length - copied)
}

const mask = new TextEncoder().encode(hiddenValue)

function credentialsOf({ headers, network }: HttpTarget): string[] {
  const proxy = network?.proxy
  const password = proxy?.mode === 'manual' ? proxy.credentials?.password : undefined
  const values = Object.entries(headers)
    .filter(([name]) => credentialHeader.test(name) && !identifyingHeader.test(name))
    .map(([, value]) => value)
  return [...values, ...(password ? [password] : [])]
    .flatMap((value) => [value, ...innerSecrets(value)])
    .filter(isUnmistakable)
}

const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9 _.-]/]

function isUnmistakable(value: string): boolean {
  const { length } = value.trim()
  return length >= 16 || (length >= 10 && kinds.filter((kind) => kind.test(value)).length >= 3)
}

function searchFor(values: readonly string[]): Search | null {
  const key = JSON.stringify(values)
  const known = searches.get(key)
  const search = known === undefined ? createSearch(values) : known
  searches.delete(key)
  searches.set(key, search)
  if (searches.size > mostSearches) searches.delete(searches.keys().next().value as string)
  return search
}

/** After Wu and Manber (1994): two bytes say how far the next text may begin, so that most bytes are never looked at. */
function createSearch(values: readonly string[]): Search | null {
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
      if (end === shortest - 1) byEnd.set(pair, [...(byEnd.get(pair) ?? []), text])
    }
  }
  const pairAt = (body: Uint8Array, end: number): number =>
    (lowered[body[end - 1]!]! << 8) | lowered[body[end]!]!
  return {
    shortest,
    next(body, at) {
      let end = at + shortest - 1
      while (end < body.length) {
        const shift = shifts[pairAt(body, end)]!
        if (shift === 0) return end - shortest + 1
        end += shift
      }
      return body.length
    },
    longestAt(body, at) {
      const likely = byEnd.get(pairAt(body, at + shortest - 1)) ?? []
      return (
        likely.find((text) => text.every((byte, index) => lowered[body[at + index]!] === byte))?.length ?? 0
      )
    },
  }
}

/** Each byte as the lower-case letter that it may be. */
const lowered = Uint8Array.from({ length: 256 }, (_, byte) =>
  lowerCase(String.fromCharCode(byte)).charCodeAt(0),
)
