/** What one call may bring: more than anything that the page sends, and little enough to be looked at at once. */
const inputLimits = { characters: 8_000_000, values: 200_000 } as const

/**
 * Whether the input of a call is larger than any that the page sends. It is asked before anybody else looks at the
 * input: a page that was taken over could hold up the main process with one. Ends as soon as a limit is passed, also
 * where the input has the same object in many places.
 */
export function isTooLarge(input: unknown): boolean {
  let { characters, values } = inputLimits as { characters: number; values: number }
  const waiting: unknown[] = [input]
  while (waiting.length > 0) {
    const value = waiting.pop()
    values -= 1
    if (typeof value === 'string') characters -= value.length
    else if (Array.isArray(value)) {
      if (value.length > values) return true
      for (const item of value) waiting.push(item)
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value)
      if (members.length > values) return true
      for (const [name, member] of members) {
        characters -= name.length
        waiting.push(member)
      }
    }
    if (values < 0 || characters < 0 || waiting.length > values) return true
  }
  return false
}
