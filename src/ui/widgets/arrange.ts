/**
 * Keys in an order that the operator chose, without those that there aren't any more. A new one comes after the one that
 * it follows by default.
 *
 * @param keys all keys, in their default order
 */
export function arranged(keys: readonly string[], order: readonly string[]): string[] {
  const all = [...new Set(order)].filter((key) => keys.includes(key))
  for (const [index, key] of keys.entries()) {
    if (!all.includes(key)) all.splice(all.indexOf(keys[index - 1] ?? '') + 1, 0, key)
  }
  return all
}

/** Keys with one moved by a place; the same if it is at the end. */
export function moved(keys: readonly string[], key: string, by: 1 | -1): string[] {
  const to = keys.indexOf(key) + by
  return keys.includes(key) && to >= 0 ? keys.filter((one) => one !== key).toSpliced(to, 0, key) : [...keys]
}
