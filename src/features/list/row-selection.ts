import { latinKey } from '@/app/commands'
import { controlsOf, isModified, rowIndexOf } from '@/ui/table/row-focus'
import { type ListedRow, useDeploymentsStore } from './deployments'
import { type RowAt, useSelectionStore } from './selection'

/** A row whose menu the operator asked for, where to open it, and the focused element in the row. */
export interface RowMenu {
  row: ListedRow
  /** In pixels of the window. */
  x: number
  y: number
  from: HTMLElement | null
}

/** The links, buttons and fields of a row handle clicks themselves. */
const ownClick = 'a[href], button, input, label'

const linkOf = (target: Element): HTMLElement | null => controlsOf(target.closest('tr'))[0] ?? null

/** The row of the list that contains an element; null outside the rows, and while the row is being read. */
export function rowAt(target: EventTarget | null): RowAt | null {
  const index = rowIndexOf(target)
  const row = index === null ? undefined : useDeploymentsStore().rows[index]
  return index === null || row === undefined ? null : { index, row }
}

/**
 * Lets the mouse and the keyboard select rows as in a file manager. A click selects one row. Ctrl (Cmd) or Space adds
 * or removes one, Shift selects a range, Ctrl+A all loaded rows, and Escape none. A double click opens a row. The right
 * button or the menu key asks for its menu. Gives the listeners of the table.
 */
export function useRowSelection(onOpen: (row: ListedRow) => void, onMenu: (menu: RowMenu) => void) {
  const list = useDeploymentsStore()
  const selected = useSelectionStore()

  function click(event: MouseEvent): void {
    const target = event.target as Element
    const found = rowAt(target)
    if (!found) return
    const checkbox = target.closest<HTMLInputElement>('.table-check')
    if (!checkbox && (target.closest(ownClick) || (!event.shiftKey && hasSelectedText()))) return
    if (!checkbox) linkOf(target)?.focus({ preventScroll: true })
    if (event.shiftKey) selected.extend(found, found.index)
    else if (checkbox || event.ctrlKey || event.metaKey) selected.toggle(found.row)
    else selected.only(found.row)
    // The click has already changed the checkbox, but after a range its row may still be selected.
    if (checkbox) checkbox.checked = selected.has(found.row)
  }

  /** Stops a range or a double click from selecting text. */
  function mousedown(event: MouseEvent): void {
    if ((event.target as Element).closest(ownClick)) return
    if (event.shiftKey || event.detail > 1) event.preventDefault()
  }

  function dblclick(event: MouseEvent): void {
    const found = rowAt(event.target)
    if (found && !isModified(event) && !(event.target as Element).closest(ownClick)) onOpen(found.row)
  }

  function askForMenu(target: Element, at: { x: number; y: number } | null): boolean {
    const found = rowAt(target)
    if (!found) return false
    const own = target.closest<HTMLElement>(ownClick)
    const from = own && own.tabIndex >= 0 ? own : linkOf(target)
    if (!selected.has(found.row)) selected.only(found.row)
    const box = (from ?? target).getBoundingClientRect()
    onMenu({ row: found.row, ...(at ?? { x: box.left, y: box.bottom }), from })
    return true
  }

  function contextmenu(event: MouseEvent): void {
    const at = { x: event.clientX, y: event.clientY }
    if (askForMenu(event.target as Element, at)) event.preventDefault()
  }

  function keydownCapture(event: KeyboardEvent): void {
    if (event.defaultPrevented) return
    const target = event.target as HTMLElement
    if (event.key === 'Escape' && selected.count > 0) selected.clear()
    else if (isAll(event)) selected.addAll()
    else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      if (!askForMenu(target, null)) return
    } else if (!onRowKey(event, target)) return
    event.preventDefault()
  }

  function onRowKey(event: KeyboardEvent, target: HTMLElement): boolean {
    const found = rowAt(target)
    if (!found || event.altKey || event.ctrlKey || event.metaKey) return false
    const step = event.shiftKey ? { ArrowDown: 1, ArrowUp: -1 }[event.key] : undefined
    if (step !== undefined) {
      selected.extend(found, Math.min(list.rows.length - 1, Math.max(0, found.index + step)))
      return false
    }
    if (event.shiftKey) return false
    if (event.key === ' ' && target.matches('a')) selected.toggle(found.row)
    else if (event.key === 'Enter' && target.matches('input')) onOpen(found.row)
    else return false
    return true
  }

  // In the capture phase, keys that select are handled before keys that only move.
  return { click, mousedown, dblclick, contextmenu, keydownCapture }
}

/** Whether the operator has selected text with the mouse. */
const hasSelectedText = (): boolean => document.getSelection()?.isCollapsed === false

const isAll = (event: KeyboardEvent): boolean =>
  latinKey(event).toLowerCase() === 'a' &&
  (event.ctrlKey || event.metaKey) &&
  !event.altKey &&
  !event.shiftKey &&
  !(event.target as Element).matches('input:not([type="checkbox"])')
