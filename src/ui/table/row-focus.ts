import { nextTick, onBeforeUnmount, onMounted, type Ref, watch } from 'vue'
import { latinKey } from '@/app/commands'
import { sizes } from '@/app/theme/tokens'
import { cameBack, isFocusFree } from '@/app/window'
import type { LeftRow, ListPosition, RowList } from './table'

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

/** The step of a key; undefined if it doesn't move. Shift with an arrow moves too, and selects on the way. */
function rowStep(event: KeyboardEvent): (typeof rowSteps)[string] | undefined {
  const isRange = event.shiftKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')
  return isModified(event) && !(isRange && !event.altKey && !event.ctrlKey && !event.metaKey)
    ? undefined
    : rowSteps[latinKey(event)]
}

/** The links and buttons of a row that Tab stops at. */
export const controlsOf = (row: Element | null | undefined): HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>('a[href], button:not([tabindex="-1"])') ?? []),
]

/** Whether a key or mouse button is pressed together with a modifier that changes its meaning. */
export const isModified = (event: KeyboardEvent | MouseEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || event.shiftKey

/**
 * Lets the keyboard move between the rows of a table that draws all of them: from a link or button in a row to the same
 * one in another row.
 */
export function useRowKeys(
  scroller: Ref<HTMLElement | null>,
  rowHeight: () => number,
): { keydown: (event: KeyboardEvent) => void } {
  return {
    keydown(event) {
      const step = rowStep(event)
      const control = event.target as HTMLElement
      const row = control.closest('tr')
      if (!row || !step) return
      // A row without anything to open can't have the focus.
      const rows = [...(row.parentElement?.children ?? [])].filter((one) => controlsOf(one).length > 0)
      event.preventDefault()
      const height = row.getBoundingClientRect().height || rowHeight()
      const to = step(rows.indexOf(row), rowsInView(scroller.value, height), rows.length)
      const controls = controlsOf(rows[Math.min(rows.length - 1, Math.max(0, to))])
      const next = controls[controlsOf(row).indexOf(control)] ?? controls[0]
      next?.focus({ preventScroll: true })
      next?.closest('tr')?.scrollIntoView({ block: 'nearest' })
    },
  }
}

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

interface ComeBack {
  /** The element around the rows, which have a `data-key`. */
  root: Readonly<Ref<HTMLElement | null>>
  /** What the rows depend on. */
  rows: () => unknown
  /** Has a row drawn that is beyond those drawn at first, if there is one. */
  draw: (key: string) => void
  /** The row that was left, as `onLeave` received it; null for none. */
  left: LeftRow | null
  /** Receives the row that has the focus when the table is left; null for none. */
  onLeave: (row: LeftRow | null) => void
}

/**
 * Returns the focus to the row from which the operator left, when they go back, as soon as the row is there and unless
 * the focus is elsewhere by then.
 */
export function useComeBack({ root, rows, draw, left, onLeave }: ComeBack): void {
  let wanted = cameBack() ? left : null

  function comeBack(): void {
    if (!wanted || !root.value || !isFocusFree(document.activeElement)) return
    const { key, control } = wanted
    const rowsDrawn = [...root.value.querySelectorAll<HTMLElement>('tr[data-key]')]
    const controls = controlsOf(rowsDrawn.find(({ dataset }) => dataset.key === key))
    const target = controls[control] ?? controls[0]
    if (!target) return draw(key)
    wanted = null
    target.focus()
  }

  onMounted(comeBack)
  watch(rows, comeBack, { flush: 'post' })
  onBeforeUnmount(() => {
    const control = document.activeElement
    const row = root.value?.contains(control) ? control?.closest<HTMLElement>('tr[data-key]') : null
    const key = row?.dataset.key
    onLeave(key === undefined ? null : { key, control: controlsOf(row).indexOf(control as HTMLElement) })
  })
}

/** The selection of a table's rows. Its owner decides what identifies a row. */
export interface RowSelection<Row> {
  has: (row: Row) => boolean
  count: number
  /** The key of the row where the range begins; null if there is none. */
  anchor: string | null
  only: (row: Row) => void
  toggle: (row: Row) => void
  /** Begins a range at a row. */
  begin: (row: Row) => void
  /** Selects the rows from the beginning of the range to the last one. `missing` more rows of it aren't loaded. */
  extend: (range: readonly Row[], missing: number) => void
  /** Selects all loaded rows. `missing` rows aren't loaded. */
  add: (rows: readonly Row[], missing: number) => void
  clear: () => void
}

/** A row whose menu the operator asked for, where to open it, and the focused element in the row. */
export interface RowMenu<Row> {
  row: Row
  /** In pixels of the window. */
  x: number
  y: number
  from: HTMLElement | null
}

interface SelectionOptions<Row> {
  selection: () => RowSelection<Row> | null
  rows: () => RowList<Row>
  indexOfKey: (key: string) => number | null
  /** The index of the row that contains an element; null outside the rows. */
  indexOf: (target: EventTarget | null) => number | null
  onOpen: (row: Row) => void
  onMenu: (menu: RowMenu<Row>) => void
}

/** The links, buttons and fields of a row handle clicks themselves. */
const ownClick = 'a[href], button, input, label'

const linkOf = (target: EventTarget | null): HTMLElement | null =>
  controlsOf((target as Element | null)?.closest('tr'))[0] ?? null

/**
 * Lets the mouse and the keyboard select rows as in a file manager. A click selects one row. Ctrl (Cmd) or Space adds
 * or removes one, Shift selects a range, Ctrl+A all loaded rows, and Escape none. A double click opens a row. The right
 * button or the menu key asks for its menu.
 */
export function useRowSelection<Row>({
  selection,
  rows,
  indexOf,
  indexOfKey,
  onOpen,
  onMenu,
}: SelectionOptions<Row>) {
  /** The loaded rows of a range, starting at its beginning, and the number of rows that aren't loaded. */
  function range(from: number, to: number): { found: Row[]; missing: number } {
    const { at } = rows()
    const step = from <= to ? 1 : -1
    const all = Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => at(from + index * step))
    const found = all.filter((row) => row !== undefined)
    return { found, missing: all.length - found.length }
  }

  /** Selects the rows from the anchor to an index. The range begins at `start` if the anchor isn't in the list. */
  function extend(chosen: RowSelection<Row>, to: number, start: { index: number; row: Row }): void {
    const from = chosen.anchor === null ? null : indexOfKey(chosen.anchor)
    if (from === null) chosen.begin(start.row)
    const { found, missing } = range(from ?? start.index, to)
    chosen.extend(found, missing)
  }

  function rowAt(target: EventTarget | null): { index: number; row: Row } | null {
    const index = indexOf(target)
    const row = index === null ? undefined : rows().at(index)
    return index === null || row === undefined ? null : { index, row }
  }

  function onClick(event: MouseEvent): void {
    const chosen = selection()
    const target = event.target as Element
    const found = rowAt(target)
    if (!chosen || !found) return
    const checkbox = target.closest<HTMLInputElement>('.table-check')
    if (!checkbox && (target.closest(ownClick) || (!event.shiftKey && hasSelectedText()))) return
    if (!checkbox) linkOf(target)?.focus({ preventScroll: true })
    if (event.shiftKey) extend(chosen, found.index, found)
    else if (checkbox || event.ctrlKey || event.metaKey) chosen.toggle(found.row)
    else chosen.only(found.row)
    // The click has already changed the checkbox, but after a range its row may still be selected.
    if (checkbox) checkbox.checked = chosen.has(found.row)
  }

  /** Stops a range or a double click from selecting text. */
  function onMousedown(event: MouseEvent): void {
    if (!selection() || (event.target as Element).closest(ownClick)) return
    if (event.shiftKey || event.detail > 1) event.preventDefault()
  }

  function onDoubleClick(event: MouseEvent): void {
    const found = rowAt(event.target)
    if (!selection() || !found || isModified(event) || (event.target as Element).closest(ownClick)) return
    onOpen(found.row)
  }

  function askForMenu(target: Element, at: { x: number; y: number } | null): boolean {
    const chosen = selection()
    const found = rowAt(target)
    if (!chosen || !found) return false
    const own = target.closest<HTMLElement>(ownClick)
    const from = own && own.tabIndex >= 0 ? own : linkOf(target)
    if (!chosen.has(found.row)) chosen.only(found.row)
    const box = (from ?? target).getBoundingClientRect()
    onMenu({ row: found.row, ...(at ?? { x: box.left, y: box.bottom }), from })
    return true
  }

  function onContextMenu(event: MouseEvent): void {
    const at = { x: event.clientX, y: event.clientY }
    if (askForMenu(event.target as Element, at)) event.preventDefault()
  }

  /** Selects all rows that are loaded. */
  function selectAll(): void {
    const { total } = rows()
    if (total === 0) return
    const { found, missing } = range(0, total - 1)
    selection()?.add(found, missing)
  }

  function onKeydown(event: KeyboardEvent): void {
    const chosen = selection()
    const target = event.target as HTMLElement
    if (!chosen || event.defaultPrevented) return
    if (event.key === 'Escape' && chosen.count > 0) chosen.clear()
    else if (isAll(event)) selectAll()
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      if (!askForMenu(target, null)) return
    } else if (!onRowKey(event, chosen, target)) return
    event.preventDefault()
  }

  function onRowKey(event: KeyboardEvent, chosen: RowSelection<Row>, target: HTMLElement): boolean {
    const found = rowAt(target)
    if (!found || event.altKey || event.ctrlKey || event.metaKey) return false
    const step = event.shiftKey ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : undefined
    if (step !== undefined) {
      const to = Math.min(rows().total - 1, Math.max(0, found.index + step))
      extend(chosen, to, found)
      return false
    }
    if (event.shiftKey) return false
    if (event.key === ' ' && target.matches('a')) chosen.toggle(found.row)
    else if (event.key === 'Enter' && target.matches('input')) onOpen(found.row)
    else return false
    return true
  }

  return {
    listeners: {
      click: onClick,
      mousedown: onMousedown,
      dblclick: onDoubleClick,
      contextmenu: onContextMenu,
    },
    /** For the capture phase, so that keys that select are handled before keys that only move. */
    onKeydown,
    /** Whether every loaded row is selected, some or none. */
    state(): 'all' | 'some' | 'none' {
      const chosen = selection()
      if (!chosen || chosen.count === 0) return 'none'
      const { total, at } = rows()
      let loaded = 0
      let selected = 0
      for (let index = 0; index < total; index += 1) {
        const row = at(index)
        if (row === undefined) continue
        loaded += 1
        if (chosen.has(row)) selected += 1
      }
      return selected === 0 ? 'none' : selected === loaded ? 'all' : 'some'
    },
    selectAll,
  }
}

/** Whether the operator has selected text with the mouse. */
const hasSelectedText = (): boolean => document.getSelection()?.isCollapsed === false

const isAll = (event: KeyboardEvent): boolean =>
  latinKey(event).toLowerCase() === 'a' &&
  (event.ctrlKey || event.metaKey) &&
  !event.altKey &&
  !event.shiftKey &&
  !(event.target as Element).matches('input:not([type="checkbox"])')
