import { computed, ref } from 'vue'
import { leastWidth, type TableColumn } from './table-columns'

interface Options {
  columns: () => readonly Pick<TableColumn<never>, 'key' | 'width' | 'min'>[]
  /** Receives a column's width after a drag, in pixels; null for the default width. */
  onResize: (key: string, pixels: number | null) => void
}

/** The smallest width of a column during a drag, in pixels. */
const minDragged = 56

/**
 * The widths of a table's columns. The mouse can drag the edges in the header. Columns without a width share the
 * remaining room. If every column has a width, the last one takes the rest.
 */
export function useColumnWidths({ columns, onResize }: Options) {
  const dragged = ref<{ key: string; pixels: number } | null>(null)

  const widths = computed<(string | undefined)[]>(() => {
    const all = columns().map(({ key, width }) =>
      dragged.value?.key === key ? `${dragged.value.pixels}px` : width,
    )
    return all.every((width) => width !== undefined) ? [...all.slice(0, -1), undefined] : all
  })

  /** The smallest width of all columns together, in pixels. Below it, the table scrolls sideways. */
  const minWidth = computed(() => columns().reduce((sum, column) => sum + leastWidth(column), 0))

  function onPointerdown(event: PointerEvent, key: string): void {
    const handle = event.currentTarget as HTMLElement
    const head = handle.closest('th')
    if (event.button !== 0 || !head) return
    event.preventDefault()
    const offset = head.getBoundingClientRect().width - event.clientX
    const follow = ({ clientX }: PointerEvent): void => {
      dragged.value = { key, pixels: Math.max(minDragged, Math.round(clientX + offset)) }
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

  return { widths, minWidth, onPointerdown }
}
