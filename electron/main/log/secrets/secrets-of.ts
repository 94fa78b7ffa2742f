import { credentialWords } from '@contract'

/** Names of members whose text is a secret, by their end: credentials, and the values and keys of inputs. */
const secretName = new RegExp(`(?:${credentialWords}|value|key)s?$`, 'i')

/** A URL with a user name or password. */
const urlWithCredentials = /^[a-z][a-z0-9+.-]*:\/\/([^/\s]+)@/i

const deepest = 20

/** How many characters of JSON inside texts are parsed. A text may contain JSON that contains JSON, and so on. */
const mostJson = 4_000_000

/**
 * Finds the secrets in a value that was received from outside: the text of members with a secret's name, also in JSON
 * inside a text, and the credentials of URLs. In doubt, a text counts as a secret.
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
