import { credentialWords } from '@contract'
import { jsonValues } from './json-values'

/** Matches the end of a member's name if its text is a secret: credentials, and the values and keys of inputs. */
const secretName = new RegExp(`(?:${credentialWords}|value|key)s?$`, 'i')

/** A URL with a user name or password. */
const urlWithCredentials = /^[a-z][a-z0-9+.-]*:\/\/([^/\s]+)@/i

const deepest = 20

/** The longest end of a member's name that is looked at, in characters. Far more than any word above has. */
const longestEnd = 100

const isSecret = (name: string): boolean => secretName.test(name.slice(-longestEnd))

/** How many characters of JSON inside texts are read. A text may contain JSON that contains JSON, and so on. */
const maxJson = 4_000_000

/**
 * Finds the secrets in a value from outside: the text of members with a secret's name, also in JSON inside a text, and
 * the credentials of URLs. When in doubt, it treats a text as a secret. Yields an empty text at each step, so that the
 * search of a large value can be spread over several turns of the event loop.
 */
export function* findSecrets(value: unknown): Generator<string> {
  let jsonLeft = maxJson
  yield* visit(value, false, 0)

  function* visit(part: unknown, named: boolean, depth: number): Generator<string> {
    yield ''
    if (depth > deepest) return
    if (typeof part === 'string') yield* visitText(part, named, depth)
    else if (typeof part === 'number' && named) yield String(part)
    else if (Array.isArray(part)) for (const item of part) yield* visit(item, named, depth + 1)
    else if (typeof part === 'object' && part !== null) {
      for (const [name, member] of Object.entries(part)) yield* visit(member, isSecret(name), depth + 1)
    }
  }

  function* visitText(text: string, named: boolean, depth: number): Generator<string> {
    if (named) yield text
    const credentials = urlWithCredentials.exec(text.trim())?.[1]
    if (credentials !== undefined) {
      yield credentials
      const [user, password] = userAndPassword(credentials)
      for (const one of [user, password]) {
        yield one
        yield decoded(one)
      }
    }
    if (/^\s*[{[]/.test(text) && text.length <= jsonLeft) {
      jsonLeft -= text.length
      for (const inside of jsonValues(text, { isSecret, isNamed: named, deepest: deepest - depth - 1 })) {
        if (inside === null) yield ''
        else yield* visitText(inside.text, inside.isNamed, depth + 1 + inside.depth)
      }
    }
  }
}

/** The first colon ends the user name. The password may contain more colons. */
function userAndPassword(credentials: string): [string, string] {
  const colon = credentials.indexOf(':')
  return colon === -1 ? [credentials, ''] : [credentials.slice(0, colon), credentials.slice(colon + 1)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
