import { replaceUrlCredentials } from '../../core/url'
import { answerLimits } from '../list'

/**
 * Words that show that a name is a credential's, as the source of a regular expression. Everything that recognises
 * credentials by name uses this list: members of answers, request headers, inputs, the log. Each adds only words of its
 * own context, such as "key" in a header.
 */
export const credentialWords =
  'secret|passw(?:or)?d|passphrase|passcode|token|credential|authorization|cookie|' +
  '(?:api|private|access|encryption|signing)[-_. ]?key'

/** Replaces a value that must not be shown. */
export const hiddenValue = '•••'

/**
 * Removes secrets from a service's answer, or from the body of its error, at any depth and also in JSON inside a text
 * (.github/decisions/0014-values-of-secrets-in-answers.md).
 *
 * - A member `secrets` becomes a list of names with empty values.
 * - The values of containers' variables (`env`), of members whose names are a credential's, and credentials in URLs
 *   become `hiddenValue`, so that an operator who clones a deployment sees what to enter again.
 *
 * @returns the same value if there is nothing to remove, else a copy that shares the rest with it
 * @throws {RangeError} if the answer is nested too deeply
 */
export function withoutSecretValues<T>(answered: T): T {
  return emptied(answered, 0) as T
}

/** JSON in a longer text is hidden without parsing. Kubernetes allows this much for all annotations of an object. */
const longestText = 256 * 1024

function emptied(value: unknown, level: number): unknown {
  if (typeof value === 'string') return emptiedText(value, level)
  if (Array.isArray(value)) return eachItem(value, (item) => emptied(item, inside(level)))
  if (!isObject(value)) return value
  return eachMember(value, (name, member) => emptiedMember(name, member, inside(level)))
}

function inside(level: number): number {
  if (level >= answerLimits.levels) throw new RangeError('An answer is nested too deeply.')
  return level + 1
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same list if nothing in it changes. */
function eachItem(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  let copy: unknown[] | null = null
  for (const [index, item] of list.entries()) {
    const left = change(item)
    if (left !== item) (copy ??= [...list])[index] = left
  }
  return copy ?? list
}

/** The same object if nothing in it changes. A member may have any name, also `__proto__`. */
function eachMember(holder: object, change: (name: string, member: unknown) => unknown): object {
  let copy: Record<string, unknown> | null = null
  for (const name of Object.keys(holder)) {
    const member = (holder as Record<string, unknown>)[name]
    const left = change(name, member)
    if (left === member) continue
    copy ??= { ...holder }
    // An assignment would set its prototype.
    if (name === '__proto__') copy = { ...copy, [name]: left }
    else copy[name] = left
  }
  return copy ?? holder
}

/** What the name of a member says about its content. */
type Meaning = 'secrets' | 'variables' | 'values' | 'credential' | 'freely named' | 'other'

/** "tokens" isn't in the list: it is often a count. */
const credential = new RegExp(`(?:${credentialWords}|credentials)$`)

function meaningOf(name: string): Meaning {
  const folded = foldedName(name)
  if (folded === 'secrets') return 'secrets'
  if (folded === 'env') return 'variables'
  if (/secrets$|secret(?:values?|references)$/.test(folded)) return 'values'
  if (credential.test(folded)) return 'credential'
  // Often named after a secret that they only refer to.
  return /^(?:labels|annotations|volumeattributes)$/.test(folded) ? 'freely named' : 'other'
}

/** The meanings that were found before: an answer repeats the same few names thousands of times. */
const meanings = new Map<string, Meaning>()

function knownMeaningOf(name: string): Meaning {
  const known = meanings.get(name)
  if (known !== undefined) return known
  const meaning = meaningOf(name)
  if (meanings.size < 2_000 && name.length <= 100) meanings.set(name, meaning)
  return meaning
}

const foldedName = (name: string): string => name.replace(/[-_.\s]/g, '').toLowerCase()

function emptiedMember(name: string, member: unknown, level: number): unknown {
  switch (knownMeaningOf(name)) {
    case 'secrets':
      return namesOf(member)
    case 'variables':
      return withoutVariables(member, level)
    case 'values':
      return hidden(member, level)
    case 'credential':
      return isText(member) ? hidden(member, level) : emptied(member, level)
    case 'freely named':
      return isObject(member) ? emptiedFreelyNamed(member, level) : emptied(member, level)
    case 'other':
      return emptied(member, level)
  }
}

const emptiedFreelyNamed = (holder: object, level: number): object =>
  eachMember(holder, (name, member) =>
    isText(member) && knownMeaningOf(name) !== 'secrets'
      ? emptied(member, level)
      : emptiedMember(name, member, level),
  )

/** A text or number, or a list of them. An object with a credential's name, such as a volume's, only refers to one. */
const isText = (member: unknown): boolean =>
  typeof member === 'string' ||
  typeof member === 'number' ||
  (Array.isArray(member) && member.every((item) => typeof item !== 'object'))

const references: ReadonlySet<string> = new Set(['name', 'key', 'namespace', 'secretname', 'secretkey'])

/** A value with all its texts and numbers hidden, except the names of secrets. */
function hidden(value: unknown, level: number): unknown {
  if (typeof value === 'string' || typeof value === 'number') return hiddenValue
  if (Array.isArray(value)) return eachItem(value, (item) => hidden(item, inside(level)))
  if (!isObject(value)) return value
  return eachMember(value, (name, member) =>
    references.has(foldedName(name)) && typeof member === 'string' ? member : hidden(member, inside(level)),
  )
}

/** A container's variables (interface: Container), also as an object of values by name. */
function withoutVariables(env: unknown, level: number): unknown {
  if (isObject(env)) return eachMember(env, (_, value) => hidden(value, inside(level)))
  if (!Array.isArray(env)) return emptied(env, level)
  return eachItem(env, (variable) =>
    isObject(variable)
      ? eachMember(variable, (name, member) =>
          name === 'value' && member !== '' ? hidden(member, level) : emptiedMember(name, member, level),
        )
      : hidden(variable, level),
  )
}

/** A list of secrets, in any shape, reduced to the names. The same list if it has nothing else. */
function namesOf(secrets: unknown): unknown {
  if (secrets === null || secrets === undefined) return secrets
  if (Array.isArray(secrets)) return eachItem(secrets, nameOf)
  return typeof secrets === 'object' ? Object.keys(secrets).map(withoutValue) : []
}

function nameOf(secret: unknown): object {
  const { name, value } = (secret ?? {}) as { name?: unknown; value?: unknown }
  const isEmpty = value === '' && typeof name === 'string' && Object.keys(secret!).join() === 'name,value'
  return isEmpty ? (secret as object) : withoutValue(typeof name === 'string' ? name : null)
}

const withoutValue = (name: string | null): object => ({ name, value: '' })

/** A text without the passwords and tokens of the URLs in it. */
export const withoutUrlCredentials = (text: string): string =>
  replaceUrlCredentials(text, ({ text: credential, isCertain }) => (isCertain ? hiddenValue : credential))

/** A text without credentials in URLs and, if it is JSON, without secrets. */
function emptiedText(text: string, level: number): string {
  if (!/^[\s\uFEFF]*[[{"]/.test(text)) return withoutUrlCredentials(text)
  if (text.length > longestText) return hiddenValue
  const content = parsed(text)
  const left = content === undefined ? undefined : emptied(content, inside(level))
  return left === content ? withoutUrlCredentials(text) : JSON.stringify(left)
}

/** The content of JSON; undefined if it isn't. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\s*\uFEFF/, '')) as unknown
  } catch {
    return undefined
  }
}
