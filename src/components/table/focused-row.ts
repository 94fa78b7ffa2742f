import { defaultRangeExtractor, type Range } from '@tanstack/vue-virtual'

/**
 * The indexes of the rows to draw for a range: those of the range, and the focused row with its two neighbours. The
 * neighbours are drawn with the focused row, so that Tab and Shift+Tab find them. Rows that come into view are drawn a
 * frame later at the earliest, and a Tab before that would leave the table.
 *
 * @param focused the index of the focused row; null if there is none
 */
export function withFocusedRow(range: Range, focused: number | null): number[] {
  const indexes = defaultRangeExtractor(range)
  if (focused === null || focused >= range.count) return indexes
  const pinned = [focused - 1, focused, focused + 1].filter((index) => index >= 0 && index < range.count)
  return [...new Set([...indexes, ...pinned])].sort((one, other) => one - other)
}
