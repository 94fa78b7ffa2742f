import { answerLimits } from './list-limits'

/** What stands in the place of a value that may not be shown. */
export const hiddenValue = '•••'

/**
 * Takes the values of secrets out of what a service answered. A service may answer them readable, and nobody needs
 * them: neither the page nor a cache, neither a log nor the words of a failure. This is the one rule of what such a
 * value is. Names are compared as people read them: without regard to case, separators, invisible characters and forms
 * of a letter.
 *
 * What the interface names is promised, wherever it stands, also inside of JSON in a text:
 *
 * - Under a member "secrets" remains a list of names with empty values, whatever stood there: a list of secrets, an
 *   object of values by name, a text.
 *
 * What services of this kind may answer beyond it is recognised by its name, as far as names go:
 *
 * - Under any other member whose name ends with "secrets" or "secret values", all texts and numbers are emptied, but
 *   for names ("name", "key", "namespace", "secret_name", "secret_key").
 * - A text or number is emptied where its name ends with "secret", "password", "token" or another word for a credential.
 * - Under such a member, under any other with "secret" in its name, such as a list of references or a volume, and in an
 *   object of the kind "Secret", members that are called a value, or data, are emptied.
 * - A text that is JSON, as Kubernetes writes into annotations, is treated like what it holds. One that is only like
 *   JSON, or is YAML, or has some in it, ends before its first member for secrets.
 *
 * Environment variables of containers are no secrets: they are configuration that is entered and shown as such.
 */
export function withoutSecretValues<T>(answered: T): T {
  return emptied(answered, 'open', 0) as T
}

/** A longer text that seems to be JSON about secrets is emptied unread: all annotations of an object may have so much. */
const longestText = 256 * 1024

/** What is known of a place by the members that lead to it. */
type Place = 'open' | 'about-secrets' | 'in-secrets'

/** What the name of a member says of what it holds. */
type Meaning = 'secrets' | 'values' | 'credential' | 'about-secrets' | 'value' | 'name' | 'other'

/** The same value where there is nothing to empty, else one that shares with it what stays. Throws where it is too deep. */
function emptied(value: unknown, place: Place, level: number): unknown {
  if (typeof value === 'string') return place === 'in-secrets' ? '' : emptiedText(value, place, level)
  if (typeof value === 'number') return place === 'in-secrets' ? '' : value
  if (typeof value !== 'object' || value === null) return value
  if (level >= answerLimits.levels) throw new RangeError('An answer is nested too deeply.')
  if (Array.isArray(value)) {
    const items = value.map((item) => emptied(item, place, level + 1))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  const members = Object.entries(value)
  const inside = place === 'open' && isSecretObject(value) ? 'about-secrets' : place
  const remaining = members.map(([name, member]) => [name, emptiedMember(name, member, inside, level + 1)])
  const same = remaining.every(([, member], index) => member === members[index]![1])
  return same ? value : Object.fromEntries(remaining)
}

/** Kubernetes' own object of that kind: its values are under "data" and "stringData". */
const isSecretObject = (value: object): boolean => (value as { kind?: unknown }).kind === 'Secret'

function emptiedMember(name: string, member: unknown, place: Place, level: number): unknown {
  const meaning = meaningOf(name)
  if (place === 'in-secrets') {
    return meaning === 'name' && typeof member === 'string' ? member : emptied(member, place, level)
  }
  switch (meaning) {
    case 'secrets':
      return namesOf(member)
    case 'values':
      return emptied(member, 'in-secrets', level)
    case 'credential':
      return emptiedCredential(member, level)
    case 'about-secrets':
      return emptied(member, 'about-secrets', level)
    case 'value':
      return emptied(member, place === 'about-secrets' ? 'in-secrets' : place, level)
    case 'name':
    case 'other':
      return emptied(member, place, level)
  }
}

/** What has the name of a credential is one as a text, or a list of them; an object, such as a volume's, is about one. */
function emptiedCredential(member: unknown, level: number): unknown {
  if (typeof member === 'string' || typeof member === 'number') return ''
  if (!Array.isArray(member)) return emptied(member, 'about-secrets', level)
  const items = member.map((item) => emptiedCredential(item, level + 1))
  return items.every((item, index) => item === member[index]) ? member : items
}

const names: ReadonlySet<string> = new Set(['name', 'key', 'namespace', 'secretname', 'secretkey'])

const credential =
  /(?:secret|passw(?:or)?d|passphrase|passcode|token|credentials?|(?:api|private|access|encryption|signing)key)$/

/** Meanings of names that were met: an answer has the same few thousands of times. */
const meanings = new Map<string, Meaning>()
const mostMeanings = 2_000

function meaningOf(name: string): Meaning {
  const known = meanings.get(name)
  if (known) return known
  const meaning = meaningOfFolded(folded(name))
  if (meanings.size < mostMeanings && name.length <= 100) meanings.set(name, meaning)
  return meaning
}

function meaningOfFolded(name: string): Meaning {
  if (name === 'secrets') return 'secrets'
  if (/secrets$|secretvalues?$/.test(name)) return 'values'
  if (names.has(name)) return 'name'
  if (credential.test(name)) return 'credential'
  // Before "about": what an object of the kind "Secret" calls its data.
  if (/values?$|^(?:v|vals?|data|stringdata|plain(?:text)?|content)$/.test(name)) {
    return name.includes('secret') ? 'values' : 'value'
  }
  return name.includes('secret') ? 'about-secrets' : 'other'
}

/** A name as people read it: in lower case, without separators and what cannot be seen, each letter in its usual form. */
function folded(name: string): string {
  const usual = isAscii.test(name)
    ? name
    : name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return usual.replace(/[-_.\s]/g, '').toLowerCase()
}

const isAscii = /^[\x20-\x7e]*$/

/** What remains of a list of secrets, in whatever form. */
function namesOf(secrets: unknown): unknown {
  if (secrets === null || secrets === undefined) return secrets
  if (Array.isArray(secrets)) {
    return secrets.map((secret: unknown) => {
      const name =
        typeof secret === 'object' && secret !== null ? (secret as { name?: unknown }).name : undefined
      return withoutValue(typeof name === 'string' ? name : null)
    })
  }
  return typeof secrets === 'object' ? Object.keys(secrets).map(withoutValue) : []
}

const withoutValue = (name: string | null): object => ({ name, value: '' })

/** In a text that is parsed only then: a word that one of the names above has, or what may be one in another spelling. */
const telling = /secret|passw|passphrase|passcode|token|credential|key|\\u|[^\s\x20-\x7e]/i

/** A member for secrets at the beginning of a line, as in YAML, or behind a bracket or comma, as in what is like JSON. */
const looseMember =
  /(?:^|[[{,])[ \t]{0,100}(?:-[ \t]{1,100})?["']?[\w.-]{0,100}secret(?:s|[-_ ]?values?)["']?[ \t]{0,100}:/im

function emptiedText(text: string, place: Place, level: number): string {
  if (!/^[\s\uFEFF]*[[{"]/.test(text)) return withoutLooseSecrets(text)
  if (place === 'open' && !telling.test(text)) return text
  if (text.length > longestText) return ''
  const inside = parsed(text)
  if (inside === undefined) return withoutLooseSecrets(text)
  const remaining = emptied(inside, place, level + 1)
  return remaining === inside ? text : JSON.stringify(remaining)
}

/** Undefined where it is no JSON, also without a byte order mark and commas before a closing bracket. */
function parsed(text: string): unknown {
  for (const one of [text, text.replace(/^\s*\uFEFF/, '').replace(/,(?=\s*[}\]])/g, '')]) {
    try {
      return JSON.parse(one) as unknown
    } catch {
      // The next, or none.
    }
  }
  return undefined
}

/** A text up to its first member for secrets: where their values end cannot be told. */
function withoutLooseSecrets(text: string): string {
  const at = /secret/i.test(text) ? text.search(looseMember) : -1
  return at < 0 ? text : text.slice(0, at) + hiddenValue
}
