import { shortText } from '@contract'
import type { Change } from '@contract/cache'

type Members = Record<string, unknown>

/** If more members changed, a change of configuration names none of them. */
const maxMembers = 20

/** The longest path of a member that is shown, in characters. */
const longestPath = 2_000

/** The members that make up a deployment's configuration. Others, such as `updated_at`, change by themselves. */
const configuration = ['name', 'source', 'image_version', 'source_config', 'source_revision_config'] as const

/**
 * The differences between two answers about a deployment, both without values of secrets.
 *
 * Services write the same value in different ways. So a missing member and an empty text count as null, and the order
 * of members doesn't matter, nor that of lists whose items have names, except init containers.
 */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const [old, now] = [membersOf(before), membersOf(after)]
  return [
    ...ofText('status', statusOf(old), statusOf(now)),
    ...ofText('latest-revision', textOf(old.latest_revision_id), textOf(now.latest_revision_id)),
    ...ofText('active-revision', textOf(old.active_revision_id), textOf(now.active_revision_id)),
    ...ofConfiguration(old, now),
    ...ofSecretNames(secretNames(old), secretNames(now)),
  ]
}

/** The status of a deployment in an answer, as lists read it. */
export const statusIn = (deployment: unknown): string => shortText(statusOf(membersOf(deployment)))

const statusOf = ({ status }: Members): string => (typeof status === 'string' ? status : 'UNKNOWN')

function ofText(kind: Change['kind'], before: string | null, after: string | null): Change[] {
  if (before === after) return []
  return [{ kind, member: null, before: shortText(before), after: shortText(after) }]
}

function ofConfiguration(before: Members, after: Members): Change[] {
  const found: Change[] = []
  for (const name of configuration) {
    const [old, now] = [before[name], after[name]].map(withoutBlanks)
    for (const { path, one, other } of differences(name, old, now)) {
      const listed = found.length < maxMembers
      found.push({
        kind: 'configuration',
        member: listed ? shortText(path) : null,
        before: listed ? shownValue(one) : null,
        after: listed ? shownValue(other) : null,
      })
      if (!listed) return found
    }
  }
  return found
}

interface Difference {
  path: string
  one: unknown
  other: unknown
}

/** The innermost members that differ. One that only one side has counts as a whole. */
function* differences(path: string, one: unknown, other: unknown): Iterable<Difference> {
  const [members, otherMembers] = [asMembers(one), asMembers(other)]
  if (members && otherMembers) {
    yield* eachMember((name) => `${startOf(path)}.${name}`, members, otherMembers)
    return
  }
  const [named, otherNamed] = [byName(one), byName(other)]
  if (named && otherNamed) {
    yield* eachMember((name) => `${startOf(path)}[${name}]`, named, otherNamed)
    if (path.endsWith('.init_containers'))
      yield* ofOrder(path, namesIn(one, otherNamed), namesIn(other, named))
  } else if (!isSame(one, other)) yield { path, one, other }
}

/** Init containers run one after the other, so a change of their order is reported too. */
function* ofOrder(path: string, one: string[], other: string[]): Iterable<Difference> {
  if (one.some((name, index) => name !== other[index])) yield { path, one, other }
}

/** The names of a list's items that others also have, in order. */
const namesIn = (list: unknown, others: Members): string[] =>
  itemsOf(list).flatMap(({ name }) => (typeof name === 'string' && Object.hasOwn(others, name) ? [name] : []))

/** The displayed part of a path: names may be long, and lists deep. */
const startOf = (path: string): string => (path.length > longestPath ? path.slice(0, longestPath) : path)

function* eachMember(pathOf: (name: string) => string, one: Members, other: Members): Iterable<Difference> {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    yield* differences(pathOf(name), ownMember(one, name), ownMember(other, name))
  }
}

/** Whether two values are the same. Two objects are compared by their members instead. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((item, index) => none(differences('', item, other[index])))
}

const none = (found: Iterable<unknown>): boolean => found[Symbol.iterator]().next().done === true

/** A value without what is equivalent to something missing; undefined if nothing is left. */
function withoutBlanks(value: unknown): unknown {
  if (value === null || value === '') return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const items = value.map(withoutBlanks)
    return items.every((item) => item === undefined) ? undefined : items
  }
  const members = Object.entries(value as Members)
    // An item may be told apart by an empty name.
    .map(([name, member]) => [name, name === 'name' ? (member ?? undefined) : withoutBlanks(member)] as const)
    .filter(([, member]) => member !== undefined)
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

/** The items of a list by name; null unless each item has a name and all names differ. */
function byName(list: unknown): Members | null {
  if (!Array.isArray(list)) return null
  const items = new Map<string, unknown>()
  for (const item of list) {
    if (!isMembers(item) || typeof item.name !== 'string' || items.has(item.name)) return null
    items.set(item.name, item)
  }
  return Object.fromEntries(items)
}

function ofSecretNames(before: Set<string>, after: Set<string>): Change[] {
  const only = (one: Set<string>, other: Set<string>): string | null => {
    const names = [...one].filter((name) => !other.has(name)).sort()
    return names.length === 0 ? null : shortText(names.join(', '))
  }
  const [gone, fresh] = [only(before, after), only(after, before)]
  if (gone === null && fresh === null) return []
  return [{ kind: 'secret-names', member: null, before: gone, after: fresh }]
}

/** The names of secrets, and the targets of references. */
function secretNames({ secrets, secret_references }: Members): Set<string> {
  const names = itemsOf(secrets).map(({ name }) => textOf(name) ?? '')
  const references = itemsOf(secret_references).map(
    ({ name, secret_name, secret_key }) =>
      `${textOf(name) ?? ''} (${textOf(secret_name) ?? ''}/${textOf(secret_key) ?? ''})`,
  )
  return new Set([...names, ...references])
}

const itemsOf = (list: unknown): Members[] => (Array.isArray(list) ? list.filter(isMembers) : [])

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asMembers = (value: unknown): Members | null => (isMembers(value) ? value : null)

const membersOf = (value: unknown): Members => asMembers(value) ?? {}

/** An object's own member: an answer may use any name. */
const ownMember = (holder: Members, name: string): unknown =>
  Object.hasOwn(holder, name) ? holder[name] : undefined

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

function shownValue(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return shortText(typeof value === 'string' ? value : JSON.stringify(value))
}
