/** What one call may bring: more than anything that the page sends, and little enough to be looked at at once. */
const inputLimits = { characters: 8_000_000, values: 200_000 } as const

/**
 * Whether the input of a call can be taken: it is plain data, as JSON has it, and no larger than any that the page sends.
 * It is asked before anybody else looks at the input: a page that was taken over could hold up the main process with one,
 * or have it keep what no limit counts, such as an ArrayBuffer. Ends as soon as a limit is passed, also where the input
 * has the same object in many places.
 */
export function isAcceptable(input: unknown): boolean {
  let { characters, values } = inputLimits as { characters: number; values: number }
  const waiting: unknown[] = [input]
  while (waiting.length > 0) {
    const value = waiting.pop()
    values -= 1
    if (typeof value === 'string') characters -= value.length
    else if (Array.isArray(value)) {
      if (value.length > values) return false
      for (const item of value) waiting.push(item)
    } else if (typeof value === 'object' && value !== null) {
      if (!isPlain(value)) return false
      const members = Object.entries(value)
      if (members.length > values) return false
      for (const [name, member] of members) {
        characters -= name.length
        waiting.push(member)
      }
    } else if (typeof value === 'bigint') return false
    if (values < 0 || characters < 0 || waiting.length > values) return false
  }
  return true
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
