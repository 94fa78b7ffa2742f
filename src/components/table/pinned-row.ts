import { defaultRangeExtractor, type Range } from '@tanstack/vue-virtual'

/** The places of the rows to draw for a range: those of the range, and `kept`, which has the focus; null for none. */
export function placesWith(range: Range, kept: number | null): number[] {
  const indexes = defaultRangeExtractor(range)
  if (kept === null || kept >= range.count || indexes.includes(kept)) return indexes
  return [...indexes, kept].sort((one, other) => one - other)
}
