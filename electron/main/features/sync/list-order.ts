/** Whether the items that two passes have in common came in the same order in both. */
export function agree(one: Iterable<string>, other: Iterable<string>): boolean {
  const indexById = new Map<string, number>()
  let place = 0
  for (const id of one) indexById.set(id, place++)
  let last = -1
  for (const id of other) {
    const at = indexById.get(id)
    if (at === undefined) continue
    if (at < last) return false
    last = at
  }
  return true
}
