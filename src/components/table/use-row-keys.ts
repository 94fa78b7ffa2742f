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

/** How many whole rows are in view below the head. */
export function rowsInView(scroller: HTMLElement | null): number {
  const height = (scroller?.clientHeight ?? 0) - sizes.control
  return Math.max(1, Math.floor(height / sizes.row) - 1)
}

/** The links and buttons of a row. */
export const controlsOf = (row: Element | null | undefined): HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>('a[href], button') ?? []),
]

/** Whether a key is pressed together with one that gives it another meaning. */
export const isModified = (event: KeyboardEvent): boolean =>
  event.altKey || event.ctrlKey || event.metaKey || event.shiftKey

/**
 * Lets the keyboard go through the rows of a table that draws all of them: from a link or button in a row to the same one
 * in another row.
 */
export function useRowKeys(scroller: Ref<HTMLElement | null>): { keydown: (event: KeyboardEvent) => void } {
  return {
    keydown(event) {
      const step = rowSteps[event.key]
      const control = event.target as HTMLElement
      const row = control.closest('tr')
      const rows = [...(row?.parentElement?.children ?? [])]
      if (!row || !step || isModified(event)) return
      event.preventDefault()
      const to = step(rows.indexOf(row), rowsInView(scroller.value), rows.length)
      const controls = controlsOf(rows[Math.min(rows.length - 1, Math.max(0, to))])
      const next = controls[controlsOf(row).indexOf(control)] ?? controls[0]
      next?.focus({ preventScroll: true })
      next?.closest('tr')?.scrollIntoView({ block: 'nearest' })
    },
  }
}
