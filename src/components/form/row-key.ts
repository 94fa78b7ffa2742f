const keys = new WeakMap<object, number>()
let lastKey = 0

/** A key for a row that stays the same while rows around it change. Takes the plain object, not its reactive proxy. */
export function rowKey(row: object): number {
  const known = keys.get(row)
  if (known !== undefined) return known
  keys.set(row, (lastKey += 1))
  return lastKey
}
