/** Whether the items that two passes have in common came in the same order in both. */
export function agree(one: Iterable<string>, other: Iterable<string>): boolean {
  const places = new Map<string, number>()
  let place = 0
  for (const id of one) places.set(id, place++)
  let last = -1
  for (const id of other) {
    const at = places.get(id)
    if (at === undefined) continue
    if (at < last) return false
    last = at
  }
  return true
}
