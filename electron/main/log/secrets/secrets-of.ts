import { credentialWords } from '@contract'

/** Members whose text is a secret, by the end of their name: credentials, and the values and keys of inputs. */
const secretName = new RegExp(`(?:${credentialWords}|value|key)s?$`, 'i')

/** A URL that carries a user name or password. */
const urlWithCredentials = /^[a-z][a-z0-9+.-]*:\/\/([^/\s]+)@/i

const deepest = 20

/** So many characters of JSON inside of texts are parsed; a text can hold one that holds another, and so on. */
const mostJson = 4_000_000

/**
 * Finds the secrets in a value that came in over a boundary: the text of members that are named like one, also inside
 * of a JSON text, and the credentials of URLs. Rather too many than too few.
 */
export function findSecrets(value: unknown): string[] {
  const secrets: string[] = []
  let jsonLeft = mostJson
  visit(value, false, 0)
  return secrets

  function found(secret: string): void {
    secrets.push(secret)
  }

  function visit(part: unknown, named: boolean, depth: number): void {
    if (depth > deepest) return
    if (typeof part === 'string') visitText(part, named, depth)
    else if (typeof part === 'number' && named) found(String(part))
    else if (Array.isArray(part)) for (const item of part) visit(item, named, depth + 1)
    else if (typeof part === 'object' && part !== null) {
      for (const [name, member] of Object.entries(part)) visit(member, secretName.test(name), depth + 1)
    }
  }

  function visitText(text: string, named: boolean, depth: number): void {
    if (named) found(text)
    const credentials = urlWithCredentials.exec(text.trim())?.[1]
    if (credentials !== undefined) {
      found(credentials)
      for (const one of credentials.split(':')) {
        found(one)
        found(decoded(one))
      }
    }
    if (/^\s*[{[]/.test(text) && text.length <= jsonLeft) {
      jsonLeft -= text.length
      const inside = parsed(text)
      if (inside !== undefined) visit(inside, named, depth + 1)
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
