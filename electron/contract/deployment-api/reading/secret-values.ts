import { credentialWords } from './credential-words'
import { answerLimits } from '../list/list-limits'

/** Replaces a value that must not be shown. */
export const hiddenValue = '•••'

/**
 * Removes the values of secrets from a service's answer. .github/decisions/0014-values-of-secrets-in-answers.md has the
 * rule and the reasons.
 *
 * - A member "secrets", at any depth and also in JSON inside a text, becomes a list of names with empty values.
 * - Other values whose names show that they are secret become `hiddenValue`, so that an operator who copies a
 *   deployment sees what to enter again, and so do credentials in URLs. A text in YAML or invalid JSON is cut before
 *   its first member for secrets.
 *
 * @returns the same value if there is nothing to remove, else a copy that shares the rest with it
 * @throws {RangeError} if the answer is nested too deeply
 */
export function withoutSecretValues<T>(answered: T): T {
  return emptied(answered, 'open', 0) as T
}

/**
 * Does the same for a service's error message. A sentence may begin like a member for secrets ("secrets: Field
 * required"), so it is cut only if something like a value follows.
 */
export function withoutSecretValuesInMessage<T>(message: T): T {
  return emptied(message, 'message', 0) as T
}

/**
 * A longer text that looks like JSON about secrets is hidden without parsing. Kubernetes allows this much for all
 * annotations of an object.
 */
const longestText = 256 * 1024

/** What the members above a value say about it. At the top, it is "message" in an error message, else "open". */
type Place = 'open' | 'message' | 'about-secrets' | 'in-secrets'

/** What the name of a member says about its content. */
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

/**
 * The same value if there is nothing to hide, else a copy that shares the rest. Throws if it is nested too deeply.
 */
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

/** The same list if nothing in it changes. */
function eachItem(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | null = null
  for (let index = 0; index < list.length; index += 1) {
    const item = change(list[index])
    if (item === list[index]) continue
    copy ??= [...list]
    copy[index] = item
  }
  return copy ?? list
}

/** The same object if nothing in it changes. A member may have any name, also `__proto__`. */
function eachMember(holder: object, change: (name: string, member: unknown) => unknown): object {
  const members = holder as Record<string, unknown>
  let changed: [string, unknown][] | null = null
  for (const name of Object.keys(members)) {
    const member = change(name, members[name])
    if (member !== members[name]) (changed ??= []).push([name, member])
  }
  return changed === null ? holder : Object.fromEntries([...Object.entries(members), ...changed])
}

const isOpen = (place: Place): boolean => place === 'open' || place === 'message'

/** A Kubernetes Secret, whose values are under "data" and "stringData". */
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

/** A text or list with a credential's name is a credential. An object, such as a volume's, is only about one. */
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

/** Empties an environment variable like any other object, but keeps its text. */
function emptiedVariable(item: unknown, place: Place, level: number): unknown {
  if (!isObject(item)) return emptied(item, place, level)
  return eachMember(item, (name, member) =>
    name === 'value' && typeof member === 'string' ? member : emptiedMember(name, member, place, level + 1),
  )
}

const names: ReadonlySet<string> = new Set(['name', 'key', 'namespace', 'secretname', 'secretkey'])

/** "tokens" isn't in the list: it is often a count. */
const credential = new RegExp(`(?:${credentialWords}|credentials)$`)

/** A cache of names' meanings: an answer repeats the same few names thousands of times. */
const meanings = new Map<string, Meaning>()
const maxMeanings = 2_000

function meaningOf(name: string): Meaning {
  const known = meanings.get(name)
  if (known) return known
  const meaning = meaningOfFolded(folded(name))
  if (meanings.size < maxMeanings && name.length <= 100) meanings.set(name, meaning)
  return meaning
}

function meaningOfFolded(name: string): Meaning {
  if (name === 'secrets') return 'secrets'
  if (/secrets$|secretvalues?$/.test(name)) return 'values'
  if (names.has(name)) return 'name'
  if (credential.test(name)) return 'credential'
  // Before "about-secrets": the names that an object of the kind "Secret" has for its data.
  if (/values?$|^(?:v|vals?|data|stringdata|plain(?:text)?|content)$/.test(name)) {
    return name.includes('secret') ? 'values' : 'value'
  }
  return name.includes('secret') ? 'about-secrets' : (memberMeanings.get(name) ?? 'other')
}

/** Members of the resource spec whose names or texts prove nothing (interface: ResourceSpec, Volume, Container). */
const memberMeanings: ReadonlyMap<string, Meaning> = new Map([
  ['labels', 'freely-named'],
  ['annotations', 'freely-named'],
  ['volumeattributes', 'freely-named'],
  ['env', 'variables'],
  ['args', 'arguments'],
  ['command', 'arguments'],
])

/**
 * A form of a name that is equal for names that read alike: in lower case, without separators and invisible characters,
 * each letter in its usual form.
 */
function folded(name: string): string {
  const usual = isAscii.test(name)
    ? name
    : name.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return usual.replace(/[-_.\s]/g, '').toLowerCase()
}

const isAscii = /^[\x20-\x7e]*$/

/** A list of secrets, in any shape, reduced to the names. The same list if it has nothing else. */
function namesOf(secrets: unknown): unknown {
  if (secrets === null || secrets === undefined) return secrets
  if (Array.isArray(secrets)) return eachItem(secrets, nameOf)
  return typeof secrets === 'object' ? Object.keys(secrets).map(withoutValue) : []
}

function nameOf(secret: unknown): object {
  if (typeof secret !== 'object' || secret === null) return withoutValue(null)
  const { name, value } = secret as { name?: unknown; value?: unknown }
  const isEmpty = value === '' && typeof name === 'string' && Object.keys(secret).join() === 'name,value'
  return isEmpty ? secret : withoutValue(typeof name === 'string' ? name : null)
}

const withoutValue = (name: string | null): object => ({ name, value: '' })

/** A text is parsed only if it contains one of these words. */
const credentialWord = new RegExp(credentialWords)

function mayContainCredentials(text: string): boolean {
  if (credentialWord.test(folded(text))) return true
  if (!text.includes('\\')) return false
  // An escaped backslash may begin another escape, one level deeper.
  if (/\\u005c/i.test(text)) return true
  const unescaped = text.replace(/\\(?:u([0-9a-f]{4})|[bfnrt])/gi, (_, code?: string) =>
    code === undefined ? '' : String.fromCharCode(parseInt(code, 16)),
  )
  return credentialWord.test(folded(unescaped.replaceAll('\\', '')))
}

/** A member for secrets at the beginning of a line, as in YAML, or after a bracket or comma, as in invalid JSON. */
const looseMember =
  /(?:^|[[{,])[ \t]{0,100}(?:-[ \t]{1,100})?["']?[\w.-]{0,100}secret(?:s|[-_ ]?values?)["']?[ \t]{0,100}:/im

/**
 * The same, followed by something like a value, which a sentence doesn't have: on a new line, in brackets or quotes.
 */
const looseMemberInMessage = new RegExp(
  `${looseMember.source}[ \\t]{0,100}[\\r\\n[{"'|>&!]`,
  looseMember.flags,
)

/** A password in a URL: from the first colon to the last @ before its path. */
const passwords = /(:\/\/[^\s/?#:"]*):[^\s/?#"]*@/g

/** A user name in a URL without a password. Code hosts take an access token there. */
const users = /(:\/\/)([\w.~%-]{20,})@/g

/** Whether a user name looks random, as no person's or organisation's does. */
const isToken = (user: string): boolean => /[a-z\d]{20}/i.test(user) && /\d/.test(user) && /[a-z]/i.test(user)

/** The value of a URL's parameter with a credential's name, but for a shell's variable. */
const parameters = new RegExp(`([?&][\\w.-]{0,50}(?:${credentialWords})=)[^\\s&#"'$][^\\s&#"']*`, 'gi')

/**
 * A text without the credentials of the URLs in it: "https://user:password@host", "https://TOKEN@host" and
 * "https://host?access_token=TOKEN".
 */
export function withoutUrlCredentials(text: string): string {
  const inUsers = text.includes('@')
    ? text
        .replace(passwords, `$1:${hiddenValue}@`)
        .replace(users, (whole, start: string, user: string) =>
          isToken(user) ? `${start}${hiddenValue}@` : whole,
        )
    : text
  return text.includes('=') ? inUsers.replace(parameters, `$1${hiddenValue}`) : inUsers
}

const emptiedText = (text: string, place: Place, level: number): string =>
  withoutUrlCredentials(withoutSecretsInside(text, place, level))

function withoutSecretsInside(text: string, place: Place, level: number): string {
  if (!/^[\s\uFEFF]*[[{"]/.test(text)) return withoutLooseSecrets(text, place)
  if (isOpen(place) && !mayContainCredentials(text)) return text
  if (text.length > longestText) return hiddenValue
  const inside = parsed(text)
  if (inside === undefined) return withoutLooseSecrets(text, place)
  const remaining = emptied(inside, place, level + 1)
  return remaining === inside ? text : JSON.stringify(remaining)
}

/** The parsed JSON, even with a byte order mark or commas before a closing bracket; undefined if it isn't JSON. */
function parsed(text: string): unknown {
  for (const one of [text, text.replace(/^\s*\uFEFF/, '').replace(/,(?=\s*[}\]])/g, '')]) {
    try {
      return JSON.parse(one) as unknown
    } catch {
      // Try the next candidate.
    }
  }
  return undefined
}

/** A text up to its first member for secrets, because it isn't clear where their values end. */
function withoutLooseSecrets(text: string, place: Place): string {
  const member = place === 'message' ? looseMemberInMessage : looseMember
  const at = /secret/i.test(text) ? text.search(member) : -1
  return at < 0 ? text : text.slice(0, at) + hiddenValue
}
