/** The path of a member of a request, outermost first. */
export type Path = readonly (string | number)[]

/** A JSON object with unknown members. */
export type JsonObject = Record<string, unknown>

/** A path as text, for keys of maps. */
export const pathKey = (path: Path): string => JSON.stringify(path)

/** Whether two JSON values are written alike. */
export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether `path` is `outer` or leads to something inside it. */
export function isWithin(path: Path, outer: Path): boolean {
  return outer.length <= path.length && outer.every((part, index) => part === path[index])
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value at `path`; undefined if there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    // Reads the member before the test: Vue tracks reading a member that doesn't exist yet, but not Object.hasOwn.
    const next = (value as Record<string | number, unknown>)[part]
    if (!Object.hasOwn(value, part)) return undefined
    value = next
  }
  return value
}

/** Objects that only group members. They are removed once they are empty, so that nothing empty is sent. */
const groupsOnly = new Set<string | number>(['listener_config', 'resources'])

/**
 * Sets the value at `path` in place, and creates the objects on the way to it. Undefined removes the member, or the
 * list item.
 */
export function setValueAt(root: object, path: Path, value: unknown): void {
  const last = path.at(-1)
  if (last === undefined) return
  if (value === undefined) {
    remove(root, path, last)
    return
  }
  let holder = root as Record<string | number, unknown>
  path.slice(0, -1).forEach((part, index) => {
    const next = Object.hasOwn(holder, part) ? holder[part] : undefined
    if (typeof next !== 'object' || next === null) {
      holder[part] = typeof path[index + 1] === 'number' ? [] : {}
    }
    holder = holder[part] as Record<string | number, unknown>
  })
  holder[last] = value
}

function remove(root: object, path: Path, last: string | number): void {
  const holderPath = path.slice(0, -1)
  const holder = valueAt(root, holderPath)
  if (Array.isArray(holder) && typeof last === 'number') {
    holder.splice(last, 1)
    return
  }
  if (!isJsonObject(holder)) return
  delete holder[last]
  const name = holderPath.at(-1)
  if (name !== undefined && groupsOnly.has(name) && Object.keys(holder).length === 0) {
    remove(root, holderPath, name)
  }
}

/** A copy of a JSON value without undefined members. */
export function copyJson<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => copyJson(item)) as T
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(entries.map(([name, member]) => [name, copyJson(member)])) as T
}
