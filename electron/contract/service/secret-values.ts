import { answerLimits } from './list-limits'

/** What stands in the place of a value that may not be shown. */
export const hiddenValue = '•••'

/**
 * Takes the values of secrets out of what a service answered. A service may answer them readable, and nobody needs
 * them: neither the page nor a cache, neither a log nor the words of a failure. This is the one rule of what such a
 * value is; names are compared without regard to case, `_` and `-`:
 *
 * - Under a member "secrets", at any depth, remains a list of names with empty values, whatever stood there: a list
 *   of secrets, an object of values by name, a text.
 * - Under any other member whose name ends with "secrets" or "secret values", all texts and numbers are emptied, but
 *   for names ("name", "key", "namespace", "secret_name", "secret_key").
 * - Under any other member with "secret" in its name, such as a list of references or a volume, members whose name
 *   ends with "value" or "values" are emptied.
 * - A text that is JSON, as Kubernetes writes into annotations, is treated like what it holds.
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

const names: ReadonlySet<string> = new Set(['name', 'key', 'namespace', 'secretname', 'secretkey'])

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
  const remaining = members.map(([name, member]) => [name, emptiedMember(name, member, place, level + 1)])
  const same = remaining.every(([, member], index) => member === members[index]![1])
  return same ? value : Object.fromEntries(remaining)
}

function emptiedMember(name: string, member: unknown, place: Place, level: number): unknown {
  const folded = name.replace(/[-_\s]/g, '').toLowerCase()
  if (place === 'in-secrets') {
    return names.has(folded) && typeof member === 'string' ? member : emptied(member, place, level)
  }
  if (folded === 'secrets') return namesOf(member)
  return emptied(member, placeOf(folded, place), level)
}

function placeOf(folded: string, place: Place): Place {
  if (/secrets$|secretvalues?$/.test(folded)) return 'in-secrets'
  if (place === 'about-secrets' && /values?$/.test(folded)) return 'in-secrets'
  return folded.includes('secret') ? 'about-secrets' : place
}

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

function emptiedText(text: string, place: Place, level: number): string {
  if (!/^\s*[[{"]/.test(text) || (place === 'open' && !/secret|\\u/i.test(text))) return text
  if (text.length > longestText) return ''
  let inside: unknown
  try {
    inside = JSON.parse(text)
  } catch {
    return text
  }
  const remaining = emptied(inside, place, level + 1)
  return remaining === inside ? text : JSON.stringify(remaining)
}
