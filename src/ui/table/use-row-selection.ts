import { latinKey } from '@/app/commands'
import type { RowList } from './table'
import { controlsOf, isModified } from './row-focus'

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

interface Options<Row> {
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
export function useRowSelection<Row>({ selection, rows, indexOf, indexOfKey, onOpen, onMenu }: Options<Row>) {
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
