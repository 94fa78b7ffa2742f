/** The largest input of a call: more than the page ever sends, and small enough to check synchronously. */
const inputLimits = { characters: 8_000_000, values: 100_000 } as const

/** So much of an input costs as much as a small call: above all, its texts are searched for secrets. */
const inputOfOneCall = { characters: 20_000, values: 100 } as const

/** The largest inputs may still come four at a time. */
const heaviest = 50

/**
 * For how many calls an input counts; null if it isn't plain data, as in JSON, within the limits. It is checked before
 * anything else reads the input. Otherwise a compromised page could block the main process with it, or make it store
 * data that no limit counts, such as an ArrayBuffer. Ends as soon as a limit is exceeded, even if the input has the
 * same object in many places.
 */
export function weightOf(input: unknown): number | null {
  let { characters, values } = inputLimits as { characters: number; values: number }
  const waiting: unknown[] = [input]
  while (waiting.length > 0) {
    const value = waiting.pop()
    values -= 1
    if (typeof value === 'string') characters -= value.length
    else if (Array.isArray(value)) {
      if (value.length > values) return null
      for (const item of value) waiting.push(item)
    } else if (typeof value === 'object' && value !== null) {
      if (!isPlain(value)) return null
      const members = Object.entries(value)
      if (members.length > values) return null
      for (const [name, member] of members) {
        characters -= name.length
        waiting.push(member)
      }
    } else if (typeof value === 'bigint') return null
    if (values < 0 || characters < 0 || waiting.length > values) return null
  }
  const inCharacters = (inputLimits.characters - characters) / inputOfOneCall.characters
  const inValues = (inputLimits.values - values) / inputOfOneCall.values
  return Math.min(heaviest, Math.ceil(Math.max(inCharacters, inValues)))
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
