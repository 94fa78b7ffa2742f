import { type Range, useVirtualizer } from '@tanstack/vue-virtual'
import { computed, nextTick, ref, type Ref, watch } from 'vue'
import { isFocusFree } from '@/composables/free-focus'
import { usePainted } from '@/composables/painted'
import { sizes } from '@/theme/tokens'
import type { ListPosition } from '@/composables/list-position'
import { withFocusedRow } from './focused-row'
import { controlsOf, rowsInView, rowStep } from './use-row-keys'

/** A row to draw, and its distance from the first row, in pixels. */
interface DrawnRow {
  index: number
  top: number
}

/** How many rows above and below the view are drawn: at first, and once those in view are painted. */
const firstMargin = 1
const margin = 15

/**
 * How many rows above and below the view are requested. Reading takes time, and a row that arrives late is drawn twice.
 */
const wantedMargin = 100

/**
 * Decides which rows of a long list are drawn in the table body within `scroller`, and lets the keyboard move between
 * them: from a link or button in a row, the arrow keys, j and k, Page Up, Page Down, Home and End move to the same one
 * in another row. The focused row and its neighbours stay drawn wherever the list is scrolled, so that the focus is
 * never lost and Tab continues from there.
 *
 * @param total the number of rows; null for a table that draws all of its rows
 * @param onRange receives the rows to load: from `first` up to, but not including, `last`
 * @param rowHeight the height of a row, in pixels
 * @param start the position to begin at, focus included; null for the top
 */
export function useVirtualTable(
  scroller: Ref<HTMLElement | null>,
  total: () => number | null,
  onRange: (first: number, last: number) => void,
  rowHeight: () => number,
  start: ListPosition | null,
) {
  const focused = ref<number | null>(start?.focused?.index ?? null)
  const isPainted = usePainted(() => (total() ?? 0) > 0)
  const virtualizer = useVirtualizer(
    computed(() => {
      // Read here, so that the neighbours of a newly focused row are drawn at once.
      const pinned = focused.value
      return {
        count: total() ?? 0,
        enabled: total() !== null,
        getScrollElement: () => scroller.value,
        initialOffset: start?.top ?? 0,
        estimateSize: rowHeight,
        overscan: isPainted.value ? margin : firstMargin,
        // The header covers rows that are scrolled behind it.
        scrollPaddingStart: sizes.control,
        rangeExtractor: (range: Range) => withFocusedRow(range, pinned),
      }
    }),
  )

  watch(rowHeight, () => virtualizer.value.measure())

  const drawn = computed<DrawnRow[]>(() =>
    virtualizer.value.getVirtualItems().map(({ index, start }) => ({ index, top: start })),
  )
  /** The height of all rows, in pixels. */
  const height = computed(() => virtualizer.value.getTotalSize())

  watch(
    () => {
      const range = total() === null ? null : virtualizer.value.range
      if (!range) return null
      return [Math.max(0, range.startIndex - wantedMargin), range.endIndex + 1 + wantedMargin] as const
    },
    (now, before) => {
      if (now && (now[0] !== before?.[0] || now[1] !== before[1])) onRange(now[0], now[1])
    },
    { immediate: true },
  )

  function indexOf(target: EventTarget | null): number | null {
    const row = target instanceof Element ? target.closest('tbody tr[aria-rowindex]') : null
    return row ? Number(row.getAttribute('aria-rowindex')) - firstRowIndex : null
  }

  /** A focus move that waits until its row is drawn. */
  let moving = start?.focused ?? null

  /** Whether the focus is still here, or nowhere: otherwise, the operator has moved it meanwhile. */
  const isOurs = (): boolean => {
    const { activeElement } = document
    const isHere = activeElement === scroller.value || indexOf(activeElement) !== null
    return isHere || isFocusFree(activeElement)
  }

  function finishMove(): void {
    if (!moving) return
    if (!isOurs()) {
      moving = null
      return
    }
    const row = scroller.value?.querySelector(`tr[aria-rowindex="${moving.index + firstRowIndex}"]`)
    const controls = controlsOf(row)
    const control = controls[moving.control] ?? controls[0]
    if (!control) return
    moving = null
    control.focus({ preventScroll: true })
  }

  /** Moves the focus to one of a row's links and buttons, as soon as the row is drawn. */
  function goTo(index: number, control: number): void {
    moving = { index, control }
    finishMove()
  }

  function onKeydown(event: KeyboardEvent): void {
    const from = indexOf(event.target)
    const count = total()
    const step = rowStep(event)
    if (from === null || count === null || !step) return
    event.preventDefault()
    const start = moving?.index ?? from
    const index = Math.min(
      count - 1,
      Math.max(0, step(start, rowsInView(scroller.value, rowHeight()), count)),
    )
    const control = controlsOf((event.target as Element).closest('tr')).indexOf(event.target as HTMLElement)
    moving = { index, control: Math.max(0, control) }
    virtualizer.value.scrollToIndex(index)
    void nextTick(finishMove)
  }

  /** The scroll position, and the focused control if it is in a row. */
  function position(): ListPosition {
    const active = document.activeElement
    const index = scroller.value?.contains(active) ? indexOf(active) : null
    const control = controlsOf(active?.closest('tr')).indexOf(active as HTMLElement)
    return {
      top: scroller.value?.scrollTop ?? 0,
      focused: index === null ? null : { index, control: Math.max(0, control) },
    }
  }

  return {
    position,
    drawn,
    height,
    indexOf,
    goTo,
    finishMove,
    listeners: {
      keydown: onKeydown,
      focusin: (event: FocusEvent) => {
        focused.value = indexOf(event.target)
      },
      focusout: (event: FocusEvent) => {
        if (indexOf(event.relatedTarget) === null) focused.value = null
      },
      // The mouse cancels a waiting move.
      wheel: () => {
        moving = null
      },
      pointerdown: () => {
        moving = null
      },
    },
  }
}

/** The `aria-rowindex` of the first row of the body. It counts from 1, and the header is a row too. */
export const firstRowIndex = 2
