import { type Range, useVirtualizer } from '@tanstack/vue-virtual'
import { computed, type Ref } from 'vue'
import { withFocusedRow } from './focused-row'

/** A row to draw, and how much empty space, in pixels, stands for the rows left out before it. */
export interface DrawnRow<Row> {
  row: Row
  index: number
  gap: number
}

export interface VirtualRowsOptions<Row> {
  /** The element that scrolls. */
  scroller: Readonly<Ref<HTMLElement | null | undefined>>
  rows: () => readonly Row[]
  /** What identifies a row, so that its height is known again wherever it moves. */
  keyOf: (row: Row) => string
  /** About how high a row is, in pixels, before it was measured. */
  estimate: number
  /** How much of the top of the scroller something else covers, in pixels. */
  covered?: number
  /** The row that has the focus, which stays drawn wherever one scrolls, with its neighbours; null for none. */
  focused: () => number | null
}

/** How many rows above and below those in view are drawn, so that scrolling and Tab find them there. */
const margin = 10

/** How high the scroller is taken for before it is there, in pixels: any window shows some rows at once. */
const firstHeight = 600

/**
 * Decides which rows of a list of differing heights are drawn within a scroller. Give `measure` to each row's element
 * as its `ref`, and its place as `data-index`. For rows of one height that are read as they come into view, see
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
    /** The empty space after the last row that is drawn, in pixels. */
    below: computed(
      () => virtualizer.value.getTotalSize() - (virtualizer.value.getVirtualItems().at(-1)?.end ?? 0),
    ),
    measure: (element: unknown) => virtualizer.value.measureElement(element as HTMLElement | null),
    /** Scrolls a row into view. */
    reveal: (index: number) => virtualizer.value.scrollToIndex(index),
  }
}
