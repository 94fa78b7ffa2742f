/** Reproducible pseudo-random numbers: the sample must not change from one start to the next. */
export interface Random {
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** True with a probability of `share` (0 to 1). */
  chance(share: number): boolean
  pick<T>(items: readonly T[]): T
  /** One of the items, with probabilities in proportion to their weights. */
  weighted<T>(items: readonly (readonly [T, number])[]): T
  /** Lowercase hexadecimal digits. */
  hex(length: number): string
  /** A version 4 UUID. */
  uuid(): string
}

/** Creates the numbers of a seed (Mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
  const between = (low: number, high: number): number => low + Math.floor(fraction() * (high - low + 1))
  const eightDigits = (): string => between(0, 0xffff_ffff).toString(16).padStart(8, '0')
  const hex = (length: number): string =>
    Array.from({ length: Math.ceil(length / 8) }, eightDigits)
      .join('')
      .slice(0, length)
  return {
    fraction,
    between,
    chance: (share) => fraction() < share,
    pick: (items) => items[between(0, items.length - 1)]!,
    weighted(items) {
      let left = fraction() * items.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of items) {
        left -= weight
        if (left < 0) return item
      }
      return items[items.length - 1]![0]
    },
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + between(0, 3)).toString(16)}${hex(3)}-${hex(12)}`,
  }
}
