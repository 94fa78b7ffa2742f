import { computed, ref } from 'vue'
import type { TableColumn } from './table-columns'

interface Options {
  columns: () => readonly Pick<TableColumn<never>, 'key' | 'width' | 'least'>[]
  /** Takes the width of a column after it was dragged, in pixels; null for the usual one. */
  onResize: (key: string, pixels: number | null) => void
}

/** The narrowest that a column is while it is dragged, in pixels. */
const leastDragged = 56

/**
 * The widths of a table's columns, which the mouse may drag at the edges of the head. Columns without a width share what is
 * left; where each has one, the last one takes it.
 */
export function useColumnWidths({ columns, onResize }: Options) {
  const dragged = ref<{ key: string; pixels: number } | null>(null)

  const widths = computed<(string | undefined)[]>(() => {
    const all = columns().map(({ key, width }) =>
      dragged.value?.key === key ? `${dragged.value.pixels}px` : width,
    )
    return all.every((width) => width !== undefined) ? [...all.slice(0, -1), undefined] : all
  })

  /** What the columns need at least, in pixels. Below that, the table scrolls sideways. */
  const leastWidth = computed(() =>
    columns().reduce((sum, { width, least }) => sum + (least ?? Number.parseFloat(width ?? '0')), 0),
  )

  function onPointerdown(event: PointerEvent, key: string): void {
    const handle = event.currentTarget as HTMLElement
    const head = handle.closest('th')
    if (event.button !== 0 || !head) return
    event.preventDefault()
    const offset = head.getBoundingClientRect().width - event.clientX
    const follow = ({ clientX }: PointerEvent): void => {
      dragged.value = { key, pixels: Math.max(leastDragged, Math.round(clientX + offset)) }
    }
    const end = (): void => {
      handle.removeEventListener('pointermove', follow)
      handle.removeEventListener('pointerup', end)
      handle.removeEventListener('pointercancel', end)
      if (dragged.value) onResize(key, dragged.value.pixels)
      dragged.value = null
    }
    handle.setPointerCapture(event.pointerId)
    handle.addEventListener('pointermove', follow)
    handle.addEventListener('pointerup', end)
    handle.addEventListener('pointercancel', end)
  }

  return { widths, leastWidth, onPointerdown }
}
