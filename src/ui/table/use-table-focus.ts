import { nextTick, type Ref, watch } from 'vue'
import { cameBack } from '@/app/came-back'
import { isFocusFree } from '@/app/focus'
import type { ListPosition, RowList } from './list-position'
import { controlsOf, rowsInView, rowStep } from './use-row-keys'

/** The `aria-rowindex` of the first row of the body. It counts from 1, and the header is a row too. */
export const firstRowIndex = 2

interface Options<Row> {
  /** The table's own element, which takes the focus where there is no row. */
  scroller: Readonly<Ref<HTMLElement | null>>
  /** Receives the index of the row with the focus, which has to stay drawn; null for none. */
  focused: Ref<number | null>
  rows: () => RowList<Row>
  rowKey: (row: Row) => string
  rowHeight: () => number
  /** What the drawn rows depend on. */
  drawn: () => unknown
  /** Scrolls until a row is in view, so that it is drawn. */
  reveal: (index: number) => void
  /** The position to begin at, focus included if the operator came back; null for the top. */
  start: ListPosition | null
}

/**
 * The focus in the rows of a table. From a link or button in a row, the arrow keys, j and k, Page Up, Page Down, Home
 * and End move to the same one in another row. Where a focused row disappears, the focus goes to the row that is now at
 * its place, or the last one; until that one is read, and if there is none, the table itself has it.
 */
export function useTableFocus<Row>({
  scroller,
  focused,
  rows,
  rowKey,
  rowHeight,
  drawn,
  reveal,
  start,
}: Options<Row>) {
  /** A focus move that waits until its row is drawn. */
  let moving: { index: number; control: number } | null = null

  function indexOf(target: EventTarget | null): number | null {
    const row = target instanceof Element ? target.closest('tbody tr[aria-rowindex]') : null
    return row && scroller.value?.contains(row)
      ? Number(row.getAttribute('aria-rowindex')) - firstRowIndex
      : null
  }

  /** The index of a row that is loaded; null if it isn't. */
  function indexOfKey(key: string): number | null {
    const { total, at } = rows()
    for (let index = 0; index < total; index += 1) {
      const row = at(index)
      if (row !== undefined && rowKey(row) === key) return index
    }
    return null
  }

  /** Whether the focus is still here, or nowhere: otherwise, the operator has moved it meanwhile. */
  const isOurs = (): boolean => {
    const { activeElement } = document
    return scroller.value?.contains(activeElement) || isFocusFree(activeElement)
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
    // Something around the table may scroll too.
    row?.scrollIntoView({ block: 'nearest' })
  }

  /** Moves the focus to one of a row's links and buttons, as soon as the row is drawn. */
  function goTo(index: number, control: number): void {
    moving = { index, control }
    focused.value = index
    reveal(index)
    finishMove()
    void nextTick(finishMove)
  }

  function onKeydown(event: KeyboardEvent): void {
    const from = indexOf(event.target)
    const step = rowStep(event)
    if (from === null || !step) return
    event.preventDefault()
    const { total } = rows()
    const to = step(moving?.index ?? from, rowsInView(scroller.value, rowHeight()), total)
    goTo(Math.min(total - 1, Math.max(0, to)), controlOf(event.target))
  }

  /** Which of its row's links and buttons an element is. */
  const controlOf = (target: EventTarget | null): number =>
    Math.max(0, controlsOf((target as Element | null)?.closest('tr')).indexOf(target as HTMLElement))

  if (start?.focused && cameBack()) {
    const { key, index, control } = start.focused
    moving = { index: indexOfKey(key) ?? index, control }
    focused.value = moving.index
  }

  let before: { element: HTMLElement; index: number; control: number } | null = null
  watch(
    drawn,
    () => {
      const { activeElement: element } = document
      const index = indexOf(element)
      const isRow = element instanceof HTMLElement && index !== null
      before = isRow ? { element, index, control: controlOf(element) } : null
    },
    { flush: 'pre' },
  )
  watch(
    drawn,
    () => {
      finishMove()
      if (!before || (document.activeElement && document.activeElement !== document.body)) return
      const { element, index, control } = before
      const { total } = rows()
      if (element.isConnected) element.focus({ preventScroll: true })
      else {
        scroller.value?.focus({ preventScroll: true })
        if (total > 0) goTo(Math.min(index, total - 1), control)
      }
    },
    { flush: 'post' },
  )

  /** The scroll position, and the focused control if it is in a row. */
  function position(): ListPosition {
    const { activeElement } = document
    const index = indexOf(activeElement)
    const row = index === null ? undefined : rows().at(index)
    return {
      top: scroller.value?.scrollTop ?? 0,
      focused:
        index === null || row === undefined
          ? null
          : { key: rowKey(row), index, control: controlOf(activeElement) },
    }
  }

  /** The mouse cancels a waiting move. */
  const stay = (): void => {
    moving = null
  }

  return {
    indexOf,
    indexOfKey,
    goTo,
    position,
    finishMove,
    listeners: {
      keydown: onKeydown,
      focusin: ({ target }: FocusEvent) => {
        focused.value = indexOf(target)
      },
      focusout: ({ relatedTarget }: FocusEvent) => {
        if (indexOf(relatedTarget) === null && !moving) focused.value = null
      },
      wheel: stay,
      pointerdown: stay,
    },
  }
}
