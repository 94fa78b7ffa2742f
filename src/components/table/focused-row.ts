import { defaultRangeExtractor, type Range } from '@tanstack/vue-virtual'

/**
 * How many rows on either side of the focused one stay drawn, as many as around the view. The next ones may have no
 * control: headings of groups, details, and entries that can't be opened.
 */
const neighbours = 10

/**
 * The indexes of the rows to draw for a range: those of the range, and the focused row with its neighbours. The
 * neighbours are drawn with the focused row, so that Tab and Shift+Tab find them. Rows that come into view are drawn a
 * frame later at the earliest, and a Tab before that would leave the table.
 *
 * @param focused the index of the focused row; null if there is none
 */
export function withFocusedRow(range: Range, focused: number | null): number[] {
  const indexes = defaultRangeExtractor(range)
  if (focused === null || focused >= range.count) return indexes
  const first = Math.max(0, focused - neighbours)
  const last = Math.min(range.count - 1, focused + neighbours)
  const pinned = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  return [...new Set([...indexes, ...pinned])].sort((one, other) => one - other)
}
