import { credentialWords } from './credential-words'
import { answerLimits } from './list/list-limits'

/** What stands in the place of a value that may not be shown. */
export const hiddenValue = '•••'

/**
 * Takes the values of secrets out of what a service answered: the one rule of what such a value is, and why:
 * .github/decisions/0014-values-of-secrets-in-answers.md.
 *
 * - Under a member "secrets", at any depth, also inside of JSON in a text, remains a list of names with empty values.
 * - What is recognised by its name beyond that gets `hiddenValue` in its place, so that whoever copies a deployment sees
 *   what is to be entered again. A text with YAML or what is only like JSON ends before its first member for secrets.
 *
 * @returns the same value where there is nothing to take out, else a changed one that shares the rest with it
 * @throws {RangeError} where the answer is nested too deeply
 */
export function withoutSecretValues<T>(answered: T): T {
  return emptied(answered, 'open', 0) as T
}

/**
 * The same of what a service says of a failure. Its sentences may begin like a member for secrets ("secrets: Field
 * required"): they are cut only where something like a value follows.
 */
export function withoutSecretValuesInMessage<T>(told: T): T {
  return emptied(told, 'told', 0) as T
}

/** A longer text that seems to be JSON about secrets is hidden unread: all annotations of an object may have so much. */
const longestText = 256 * 1024

/** What is known of a place by the members that lead to it; "told" is one in what is said of a failure, else "open". */
type Place = 'open' | 'told' | 'about-secrets' | 'in-secrets'

/** What the name of a member says of what it holds. */
type Meaning =
  | 'secrets'
  | 'values'
  | 'credential'
  | 'about-secrets'
  | 'value'
  | 'name'
  | 'freely-named'
  | 'variables'
  | 'arguments'
  | 'other'

/** The same value where there is nothing to hide, else one that shares with it what stays. Throws where it is too deep. */
function emptied(value: unknown, place: Place, level: number): unknown {
  if (typeof value === 'string')
    return place === 'in-secrets' ? hiddenValue : emptiedText(value, place, level)
  if (typeof value === 'number') return place === 'in-secrets' ? hiddenValue : value
  if (typeof value !== 'object' || value === null) return value
  if (level >= answerLimits.levels) throw new RangeError('An answer is nested too deeply.')
  if (Array.isArray(value)) return eachItem(value, (item) => emptied(item, place, level + 1))
  const inside = isOpen(place) && isSecretObject(value) ? 'about-secrets' : place
  return eachMember(value, (name, member) => emptiedMember(name, member, inside, level + 1))
}

/** The same list where nothing in it changes. */
function eachItem(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const items = list.map(change)
  return items.every((item, index) => item === list[index]) ? list : items
}

/** The same object where nothing in it changes. */
function eachMember(holder: object, change: (name: string, member: unknown) => unknown): object {
  const members = Object.entries(holder)
  const remaining = members.map(([name, member]) => [name, change(name, member)] as const)
  const same = remaining.every(([, member], index) => member === members[index]![1])
  return same ? holder : Object.fromEntries(remaining)
}

const isOpen = (place: Place): boolean => place === 'open' || place === 'told'

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
      return emptied(member, isOpen(place) ? place : 'in-secrets', level)
    case 'freely-named':
      return isObject(member) ? emptiedFreelyNamed(member, place, level) : emptied(member, place, level)
    case 'variables':
      return isOpen(place) && Array.isArray(member)
        ? eachItem(member, (item) => emptiedVariable(item, place, level + 1))
        : emptied(member, place, level)
    case 'arguments':
      return isOpen(place) && Array.isArray(member)
        ? eachItem(member, (item) => (typeof item === 'string' ? item : emptied(item, place, level + 1)))
        : emptied(member, place, level)
    case 'name':
    case 'other':
      return emptied(member, place, level)
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What has the name of a credential is one as a text, or a list of them; an object, such as a volume's, is about one. */
function emptiedCredential(member: unknown, level: number): unknown {
  if (typeof member === 'string' || typeof member === 'number') return hiddenValue
  if (!Array.isArray(member)) return emptied(member, 'about-secrets', level)
  return eachItem(member, (item) => emptiedCredential(item, level + 1))
}

function emptiedFreelyNamed(holder: object, place: Place, level: number): object {
  return eachMember(holder, (name, member) =>
    typeof member === 'object' || meaningOf(name) === 'secrets'
      ? emptiedMember(name, member, place, level + 1)
      : emptied(member, place, level + 1),
  )
}

/** An environment variable: its text stays as it is. */
function emptiedVariable(item: unknown, place: Place, level: number): unknown {
  if (!isObject(item)) return emptied(item, place, level)
  return eachMember(item, (name, member) =>
    name === 'value' && typeof member === 'string' ? member : emptiedMember(name, member, place, level + 1),
  )
}

const names: ReadonlySet<string> = new Set(['name', 'key', 'namespace', 'secretname', 'secretkey'])

/** "Tokens" are counted as often as not. */
const credential = new RegExp(`(?:${credentialWords}|credentials)$`)

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
  return name.includes('secret') ? 'about-secrets' : (places.get(name) ?? 'other')
}

/** Members of the resource spec in which names or texts say nothing (interface: ResourceSpec, Volume, Container). */
const places: ReadonlyMap<string, Meaning> = new Map([
  ['labels', 'freely-named'],
  ['annotations', 'freely-named'],
  ['volumeattributes', 'freely-named'],
  ['env', 'variables'],
  ['args', 'arguments'],
  ['command', 'arguments'],
])

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

/** In a text that is parsed only then: a word that one of the names above has. */
const telling = new RegExp(credentialWords)

function mayTell(text: string): boolean {
  if (telling.test(folded(text))) return true
  if (!text.includes('\\')) return false
  // An escaped backslash may begin another escape, a level deeper.
  if (/\\u005c/i.test(text)) return true
  const unescaped = text.replace(/\\(?:u([0-9a-f]{4})|[bfnrt])/gi, (_, code?: string) =>
    code === undefined ? '' : String.fromCharCode(parseInt(code, 16)),
  )
  return telling.test(folded(unescaped.replaceAll('\\', '')))
}

/** A member for secrets at the beginning of a line, as in YAML, or behind a bracket or comma, as in what is like JSON. */
const looseMember =
  /(?:^|[[{,])[ \t]{0,100}(?:-[ \t]{1,100})?["']?[\w.-]{0,100}secret(?:s|[-_ ]?values?)["']?[ \t]{0,100}:/im

/** One behind which something like a value follows, as no sentence has it: on a new line, in brackets or quotes. */
const looseMemberTold = new RegExp(`${looseMember.source}[ \\t]{0,100}[\\r\\n[{"'|>&!]`, looseMember.flags)

function emptiedText(text: string, place: Place, level: number): string {
  if (!/^[\s\uFEFF]*[[{"]/.test(text)) return withoutLooseSecrets(text, place)
  if (isOpen(place) && !mayTell(text)) return text
  if (text.length > longestText) return hiddenValue
  const inside = parsed(text)
  if (inside === undefined) return withoutLooseSecrets(text, place)
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
function withoutLooseSecrets(text: string, place: Place): string {
  const member = place === 'told' ? looseMemberTold : looseMember
  const at = /secret/i.test(text) ? text.search(member) : -1
  return at < 0 ? text : text.slice(0, at) + hiddenValue
}
