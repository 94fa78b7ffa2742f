import type { Ref } from 'vue'
import { latinKey } from '@/app/commands'
import { sizes } from '@/app/theme/tokens'

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
export function rowStep(event: KeyboardEvent): (typeof rowSteps)[string] | undefined {
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
