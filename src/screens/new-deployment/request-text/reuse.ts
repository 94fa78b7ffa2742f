import { isJsonObject } from '../../../domain/text/json-path'

/**
 * Returns `after` with equal parts taken from `before`, so that unchanged rows of the form keep their identity. Takes
 * plain values, no proxies.
 */
export function reuse<T>(before: unknown, after: T): T {
  if (Array.isArray(before) && Array.isArray(after)) {
    const items = after.map((item: unknown, index) => reuse(before[index], item))
    const same = items.length === before.length && items.every((item, index) => item === before[index])
    return (same ? before : items) as T
  }
  if (isJsonObject(before) && isJsonObject(after)) {
    const members = Object.entries(after).map(([name, member]) => [
      name,
      reuse(Object.hasOwn(before, name) ? before[name] : undefined, member),
    ])
    const object = Object.fromEntries(members) as Record<string, unknown>
    const names = Object.keys(object)
    const same =
      Object.keys(before).join('\n') === names.join('\n') &&
      names.every((name) => object[name] === before[name])
    return (same ? before : object) as T
  }
  return after
}
