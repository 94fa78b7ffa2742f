import { type Range, useVirtualizer } from '@tanstack/vue-virtual'
import { computed, type Ref } from 'vue'
import { withFocusedRow } from './focused-row'

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
 * and the row's index as `data-index`. For rows of equal height that are read as they come into view, see
 * `use-virtual-table.ts`.
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
