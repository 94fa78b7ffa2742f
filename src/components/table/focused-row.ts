import { defaultRangeExtractor, type Range } from '@tanstack/vue-virtual'
import { type Ref, watch } from 'vue'
import { controlsOf } from './use-row-keys'

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

interface Options {
  /** The table's own element, which takes the focus where there is no row. */
  root: Readonly<Ref<HTMLElement | null>>
  /** What the drawn rows depend on. */
  rows: () => unknown
  /** How many rows there are. */
  count: () => number
  /** The index of the row that contains an element; null outside the rows. */
  indexOf: (target: EventTarget | null) => number | null
  /** Moves the focus to one of a row's links and buttons, as soon as the row is drawn. */
  goTo: (index: number, control: number) => void
}

/**
 * Keeps the focus in a table whose focused row disappears or is drawn elsewhere, which would leave it to the body. It
 * goes to the row that is now at the same place, or the last one. Until that one is read, and if there is none, the
 * table itself has it.
 */
export function useKeptFocus({ root, rows, count, indexOf, goTo }: Options): void {
  let before: { element: HTMLElement; index: number; control: number } | null = null

  watch(
    rows,
    () => {
      const { activeElement: element } = document
      const index = root.value?.contains(element) ? indexOf(element) : null
      if (!(element instanceof HTMLElement) || index === null) before = null
      else before = { element, index, control: controlsOf(element.closest('tr')).indexOf(element) }
    },
    { flush: 'pre' },
  )
  watch(
    rows,
    () => {
      if (!before || (document.activeElement && document.activeElement !== document.body)) return
      const { element, index, control } = before
      if (element.isConnected) element.focus({ preventScroll: true })
      else {
        root.value?.focus({ preventScroll: true })
        if (count() > 0) goTo(Math.min(index, count() - 1), Math.max(0, control))
      }
    },
    { flush: 'post' },
  )
}
