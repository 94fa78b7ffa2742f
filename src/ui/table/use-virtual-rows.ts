import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/vue-virtual'
import { computed, type Ref } from 'vue'

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
function withFocusedRow(range: Range, focused: number | null): number[] {
  const indexes = defaultRangeExtractor(range)
  if (focused === null || focused >= range.count) return indexes
  const first = Math.max(0, focused - neighbours)
  const last = Math.min(range.count - 1, focused + neighbours)
  const pinned = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  return [...new Set([...indexes, ...pinned])].sort((one, other) => one - other)
}

/** A row to draw, and the height of the rows left out before it, in pixels. */
export interface DrawnRow<Row> {
  row: Row
  index: number
  gap: number
}

export interface VirtualRowsOptions<Row> {
  /** The element that scrolls. */
  scroller: Readonly<Ref<HTMLElement | null | undefined>>
  rows: () => readonly Row[]
  /** Identifies a row, so that its measured height moves with it. */
  keyOf: (row: Row) => string
  /** The height of a row before it is measured, in pixels. */
  estimate: number
  /** How much of the scroller's top is covered, in pixels. */
  covered?: number
  /**
   * The index of the focused row; null if there is none. The row and its neighbours stay drawn wherever the list is
   * scrolled.
   */
  focused: () => number | null
}

/** How many rows above and below the view are drawn, so that scrolling and Tab reach them. */
const margin = 10

/** The assumed height of the scroller before it is mounted, in pixels. */
const firstHeight = 600

/**
 * Decides which rows of a list are drawn in a scroller. Rows may differ in height. Pass `measure` as each row's `ref`,
 * and the row's index as `data-index`.
 */
export function useVirtualRows<Row>({
  scroller,
  rows,
  keyOf,
  estimate,
  covered = 0,
  focused,
}: VirtualRowsOptions<Row>) {
  const virtualizer = useVirtualizer(
    computed(() => {
      const all = rows()
      // Read here, so that the neighbours of a newly focused row are drawn at once.
      const pinned = focused()
      return {
        count: all.length,
        getScrollElement: () => scroller.value ?? null,
        estimateSize: () => estimate,
        getItemKey: (index: number) => keyOf(all[index]!),
        initialRect: { width: 0, height: firstHeight },
        overscan: margin,
        scrollPaddingStart: covered,
        rangeExtractor: (range: Range) => withFocusedRow(range, pinned),
      }
    }),
  )

  const drawn = computed<DrawnRow<Row>[]>(() => {
    const all = rows()
    let end = 0
    return virtualizer.value.getVirtualItems().flatMap(({ index, start, size }) => {
      const row = all[index]
      if (row === undefined) return []
      const gap = start - end
      end = start + size
      return [{ row, index, gap }]
    })
  })

  return {
    drawn,
    /** The height of the rows left out at the end, in pixels. */
    below: computed(
      () => virtualizer.value.getTotalSize() - (virtualizer.value.getVirtualItems().at(-1)?.end ?? 0),
    ),
    measure: (element: unknown) => virtualizer.value.measureElement(element as HTMLElement | null),
    /** Scrolls a row into view. */
    reveal: (index: number) => virtualizer.value.scrollToIndex(index),
  }
}
