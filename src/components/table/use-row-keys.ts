import type { Ref } from 'vue'
import { sizes } from '@/theme/tokens'

/** From which row a key goes to which one, of `total` rows; Vim's j and k beside the arrows. */
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

/** How many whole rows of a height in pixels are in view below the head. */
export function rowsInView(scroller: HTMLElement | null, rowHeight: number): number {
  const height = (scroller?.clientHeight ?? 0) - sizes.control
  return Math.max(1, Math.floor(height / rowHeight) - 1)
}

/** The step of a key; undefined if it leads nowhere. Shift with an arrow goes on too: it selects on its way. */
export function rowStep(event: KeyboardEvent): (typeof rowSteps)[string] | undefined {
  const isRange = event.shiftKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp')
  return isModified(event) && !(isRange && !event.altKey && !event.ctrlKey && !event.metaKey)
    ? undefined
    : rowSteps[event.key]
}

/** The links and buttons of a row that the Tab key stops at. */
export const controlsOf = (row: Element | null | undefined): HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>('a[href], button:not([tabindex="-1"])') ?? []),
]

/** Whether a key or a button of the mouse is pressed together with a key that gives it another meaning. */
export const isModified = (event: KeyboardEvent | MouseEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || event.shiftKey

/**
 * Lets the keyboard go through the rows of a table that draws all of them: from a link or button in a row to the same one
 * in another row.
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
      const rows = [...(row?.parentElement?.children ?? [])]
      if (!row || !step) return
      event.preventDefault()
      const to = step(rows.indexOf(row), rowsInView(scroller.value, rowHeight()), rows.length)
      const controls = controlsOf(rows[Math.min(rows.length - 1, Math.max(0, to))])
      const next = controls[controlsOf(row).indexOf(control)] ?? controls[0]
      next?.focus({ preventScroll: true })
      next?.closest('tr')?.scrollIntoView({ block: 'nearest' })
    },
  }
}
