/** An item of a list: its part of a key, and its name. */
interface Item {
  part: string
  name: string
  item: unknown
}

/** The members by which items are matched: a volume may be mounted at several paths, each at one. */
const mounts: ReadonlySet<string> = new Set(['volume_mounts', 'volumeMounts'])

/**
 * The items of a list by name instead of place. Several of one name are ordered by content, so that none is lost. An
 * item without a name keeps its place among the others without one.
 *
 * @param listName the member that has the list
 */
export function itemsOf(list: readonly unknown[], listName: string): Item[] {
  const named = new Map<string, unknown[]>()
  const items: Item[] = []
  for (const item of list) {
    const name = nameOf(item, listName)
    const others = name === null ? undefined : named.get(name)
    if (others) others.push(item)
    else if (name !== null) named.set(name, [item])
    else items.push({ part: `[${items.length}]`, name: String(items.length + 1), item })
  }
  for (const [name, alike] of named) {
    if (alike.length > 1) alike.sort((one, other) => (canonical(one) < canonical(other) ? -1 : 1))
    const quoted = JSON.stringify(name)
    alike.forEach((item, index) => {
      items.push(
        index === 0
          ? { part: `[${quoted}]`, name, item }
          : { part: `[${quoted},${index + 1}]`, name: `${name} (${index + 1})`, item },
      )
    })
  }
  return items
}

function nameOf(item: unknown, listName: string): string | null {
  if (typeof item !== 'object' || item === null) return null
  const { name, mountPath } = item as { name?: unknown; mountPath?: unknown }
  if (mounts.has(listName) && typeof mountPath === 'string') return mountPath
  return typeof name === 'string' ? name : null
}

/** A JSON text that is the same for values that differ only in the order of members. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const plainName = /^[\w-]+$/

/** The key of a member of what has a key. Names that could be read as something else are quoted. */
export function keyWithin(key: string, name: string): string {
  const part = plainName.test(name) ? name : JSON.stringify(name)
  return key === '' ? part : `${key}.${part}`
}
