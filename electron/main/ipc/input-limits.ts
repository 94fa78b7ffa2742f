/** The largest input of a call: more than the page ever sends, and small enough to check synchronously. */
const inputLimits = { characters: 8_000_000, values: 100_000 } as const

/**
 * Whether an input is plain data, as in JSON, within the limits. It is checked before anything else reads the input. Otherwise a compromised page could block the main process with it, or make it store
 * data that no limit counts, such as an ArrayBuffer. Ends as soon as a limit is exceeded, even if the input has the
 * same object in many places.
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
