import { pageLimits } from './list-limits'

/** The most characters of identifiers in one request: every network takes a URL of that length. */
const maxCharacters = 4_000

/**
 * Identifiers in batches, each as long as one request takes. An identifier with a comma can't be requested and is left
 * out.
 */
export function idBatches(ids: readonly string[]): string[][] {
  const batches: string[][] = []
  let length = 0
  for (const id of ids.filter((one) => !one.includes(','))) {
    const last = batches.at(-1)
    length += id.length + 1
    if (last && last.length < pageLimits.max && length <= maxCharacters) last.push(id)
    else {
      batches.push([id])
      length = id.length + 1
    }
  }
  return batches
}
