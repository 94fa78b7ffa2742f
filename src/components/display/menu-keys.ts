/**
 * The item to which the arrow keys, Home and End move from item `current` of `count`, wrapping around; null for other
 * keys.
 */
export function itemByKey(key: string, current: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
      return (current + 1) % count
    case 'ArrowUp':
      return (current + count - 1) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}

/**
 * The item to which typing moves, or null. Further letters narrow the search. The same letter again moves to the next
 * item that begins with it. Items that can't be chosen have no label.
 *
 * @param current -1 if there is none
 */
export function itemByTyping(
  labels: readonly (string | null)[],
  current: number,
  typed: string,
): number | null {
  const text = typed.toLocaleLowerCase()
  const repeated = [...text].every((letter) => letter === text[0])
  const prefix = repeated ? text.slice(0, 1) : text
  const first = repeated ? current + 1 : Math.max(0, current)
  for (let step = 0; step < labels.length; step++) {
    const index = (first + step) % labels.length
    if (labels[index]?.toLocaleLowerCase().startsWith(prefix)) return index
  }
  return null
}

/** The item for a digit (1 is the first), or null. */
export function itemByDigit(key: string, count: number): number | null {
  if (!/^[1-9]$/.test(key)) return null
  const index = Number(key) - 1
  return index < count ? index : null
}
