import { nextTick, onBeforeUnmount, onBeforeUpdate, onMounted, onUpdated, type Ref, watch } from 'vue'
import { latinKey } from '@/app/commands'
import { sizes } from '@/app/theme/tokens'
import { cameBack, isFocusFree } from '@/app/window'
import type { LeftRow, ListPosition, ListRows } from './table'

/** The row to which each key moves from a row, among `total` rows. Vim's j and k work like the arrow keys. */
export const rowSteps: Record<string, (from: number, rowsInView: number, total: number) => number> = {
  ArrowDown: (from) => from + 1,
  j: (from) => from + 1,
  ArrowUp: (from) => from - 1,
  k: (from) => from - 1,
  PageDown: (from, rowsInView) => from + rowsInView,
  PageUp: (from, rowsInView) => from - rowsInView,
  Home: () => 0,
  End: (_from, _rowsInView, total) => total - 1,
}

/**
 * How many rows Page Up and Page Down move: the whole rows that fit below the header, less one, so that one stays in
 * view. Where something around the table scrolls, those that fit into that. `rowHeight` is in pixels.
 */
export function rowsInView(scroller: HTMLElement | null, rowHeight: number): number {
  const heights: number[] = []
  for (let element = scroller; element; element = element.parentElement) heights.push(element.clientHeight)
  // Inline elements have none.
  const height = Math.min(...heights.filter((one) => one > 0)) - sizes.control
  return Number.isFinite(height) ? Math.max(1, Math.floor(height / rowHeight) - 1) : 1
}

/** The links and buttons of a row that Tab stops at. */
export const controlsOf = (row: Element | null | undefined): HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>('a[href], button:not([tabindex="-1"])') ?? []),
]

/** Which of its row's links and buttons an element is. */
const placeOf = (control: Element | null): number =>
  Math.max(0, controlsOf(control?.closest('tr')).indexOf(control as HTMLElement))

/** Focuses one of a row's links and buttons, or the first. Returns whether the row has any. */
function focusControl(row: Element | null | undefined, place: number): boolean {
  const controls = controlsOf(row)
  const control = controls[place] ?? controls[0]
  control?.focus({ preventScroll: true })
  // Something around the table may scroll too.
  if (control) row?.scrollIntoView({ block: 'nearest' })
  return control !== undefined
}

/** Whether a key or mouse button is pressed together with a modifier that changes its meaning. */
export const isModified = (event: KeyboardEvent | MouseEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || event.shiftKey

/**
 * The index of the row to which a key moves from another one; null if it doesn't move. Shift with an arrow moves too,
 * and selects on the way.
 */
function rowAfter(event: KeyboardEvent, from: number, total: number, inView: () => number): number | null {
  const isRange = event.shiftKey && ['ArrowDown', 'ArrowUp'].includes(event.key)
  const isMove = isRange ? !event.altKey && !event.ctrlKey && !event.metaKey : !isModified(event)
  const step = isMove ? rowSteps[latinKey(event)] : undefined
  if (!step) return null
  event.preventDefault()
  return Math.min(total - 1, Math.max(0, step(from, inView(), total)))
}

/**
 * Moves the focus where a key says, in a table that draws all of its rows: from a link or button in a row to the same one
 * in another row.
 */
export function moveBetweenRows(event: KeyboardEvent, scroller: HTMLElement | null): void {
  const control = event.target as HTMLElement
  const row = control.closest('tr')
  if (!row) return
  // A row without anything to open can't have the focus.
  const rows = [...(row.parentElement?.children ?? [])].filter((one) => controlsOf(one).length > 0)
  const inView = () => rowsInView(scroller, row.getBoundingClientRect().height)
  const to = rowAfter(event, rows.indexOf(row), rows.length, inView)
  if (to !== null) focusControl(rows[to], placeOf(control))
}

/** The `aria-rowindex` of the first row of the body. It counts from 1, and the header is a row too. */
export const firstRowIndex = 2

/** The index of the row of a body that contains an element; null outside the rows. */
export function rowIndexOf(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest('tbody tr[aria-rowindex]') : null
  return row && Number(row.getAttribute('aria-rowindex')) - firstRowIndex
}

interface Options<Row> {
  /** The table's own element, which takes the focus where there is no row. */
  scroller: Readonly<Ref<HTMLElement | null>>
  /** Receives the index of the row with the focus, which has to stay drawn; null for none. */
  focused: Ref<number | null>
  rows: () => ListRows<Row>
  rowKey: (row: Row) => string
  rowHeight: () => number
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
  reveal,
  start,
}: Options<Row>) {
  /** A focus move that waits until its row is drawn. */
  let moving: { index: number; control: number } | null = null

  const indexOf = (target: EventTarget | null): number | null =>
    scroller.value?.contains(target as Node | null) ? rowIndexOf(target) : null

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
    if (focusControl(row, moving.control)) moving = null
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
    if (from === null) return
    const to = rowAfter(event, moving?.index ?? from, rows().length, () =>
      rowsInView(scroller.value, rowHeight()),
    )
    if (to !== null) goTo(to, placeOf(event.target as Element))
  }

  if (start?.focused && cameBack()) {
    const { key, index, control } = start.focused
    const found = rows().findIndex((row) => row && rowKey(row) === key)
    moving = { index: found < 0 ? index : found, control }
    focused.value = moving.index
  }

  let before: { element: HTMLElement; index: number; control: number } | null = null
  onMounted(finishMove)
  onBeforeUpdate(() => {
    const { activeElement: element } = document
    const index = indexOf(element)
    const isRow = element instanceof HTMLElement && index !== null
    before = isRow ? { element, index, control: placeOf(element) } : null
  })
  onUpdated(() => {
    finishMove()
    if (!before || (document.activeElement && document.activeElement !== document.body)) return
    const { element, index, control } = before
    const total = rows().length
    if (element.isConnected) element.focus({ preventScroll: true })
    else {
      scroller.value?.focus({ preventScroll: true })
      if (total > 0) goTo(Math.min(index, total - 1), control)
    }
  })

  /** The scroll position, and the focused control if it is in a row. */
  function position(): ListPosition {
    const { activeElement } = document
    const index = indexOf(activeElement)
    const row = index === null ? undefined : rows()[index]
    return {
      top: scroller.value?.scrollTop ?? 0,
      focused:
        index === null || row === undefined
          ? null
          : { key: rowKey(row), index, control: placeOf(activeElement) },
    }
  }

  /** The mouse cancels a waiting move. */
  const stay = (): void => {
    moving = null
  }

  return {
    goTo,
    position,
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

/** The rows that had the focus when their tables were left in this session, by the table's name. */
const leftRows = new Map<string, LeftRow>()

/**
 * Returns the focus to the row from which the operator left a table, when they go back, as soon as the row is there and
 * unless the focus is elsewhere by then.
 *
 * @param root the element around the rows, which have a `data-key`
 * @param rows what the rows depend on
 * @param draw has a row drawn that is beyond those drawn at first, if there is one
 */
export function useComeBack(
  table: string,
  root: Readonly<Ref<HTMLElement | null>>,
  rows: () => unknown,
  draw: (key: string) => void,
): void {
  let wanted = cameBack() ? leftRows.get(table) : undefined
  leftRows.delete(table)

  function comeBack(): void {
    if (!wanted || !root.value || !isFocusFree(document.activeElement)) return
    const { key, control } = wanted
    const rowsDrawn = [...root.value.querySelectorAll<HTMLElement>('tr[data-key]')]
    const row = rowsDrawn.find(({ dataset }) => dataset.key === key)
    if (focusControl(row, control)) wanted = undefined
    else draw(key)
  }

  onMounted(comeBack)
  watch(rows, comeBack, { flush: 'post' })
  onBeforeUnmount(() => {
    const control = document.activeElement
    const row = root.value?.contains(control) ? control?.closest<HTMLElement>('tr[data-key]') : null
    const key = row?.dataset.key
    if (key !== undefined) leftRows.set(table, { key, control: placeOf(control) })
  })
}
