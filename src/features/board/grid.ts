import type { Environment } from '@contract'
import type { BoardColumn } from '@contract/ipc/calls/caches'
import { computed, nextTick, onMounted, type Ref, watch } from 'vue'
import { latinKey } from '@/app/commands'
import { rowSteps } from '@/ui/table/row-focus'
import { useAxis, useScrollView } from '@/ui/table/table'
import { useBoardStore } from './board'

/** A position in the grid: row 0 has the headers, column 0 the agents. */
export interface GridPlace {
  row: number
  column: number
}

/** A column that is drawn. Its edge and its width are in pixels. */
export interface DrawnColumn {
  environment: Environment
  index: number
  left: number
  width: number
  column: BoardColumn | undefined
}

/**
 * The position that a key moves to (ARIA practices); null for a key that doesn't move.
 *
 * @param page how many rows Page Up and Page Down move
 */
export function gridStep(
  event: KeyboardEvent,
  { row, column }: GridPlace,
  { rows, columns, page }: { rows: number; columns: number; page: number },
): GridPlace | null {
  const { key, altKey, shiftKey, metaKey, ctrlKey } = event
  const isToEnd = key === 'Home' || key === 'End'
  if (altKey || shiftKey || metaKey || (ctrlKey && !isToEnd)) return null
  const across: Record<string, number> = {
    ArrowRight: column + 1,
    ArrowLeft: column - 1,
    Home: 0,
    End: columns,
  }
  const toRow = isToEnd && !ctrlKey ? row : rowSteps[latinKey(event)]?.(row, page, rows + 1)
  const toColumn = across[key]
  if (toRow === undefined && toColumn === undefined) return null
  const within = (value: number, max: number): number => Math.min(max, Math.max(0, value))
  return { row: within(toRow ?? row, rows), column: within(toColumn ?? column, columns) }
}

const sizes = { row: 72, header: 56 } as const
/** The smallest and the largest width of a column, in pixels. Agents get the spare room first, then environments. */
const widths = { agent: [250, 380], column: [224, 320] } as const
/** How many more rows and columns than those in view are drawn: enough for a fast wheel. Each costs every frame. */
const margin = { rows: 3, columns: 2 } as const
/** How many more rows than those in view are read above and below, and how many more columns. */
const wanted = { above: 6, below: 18, columns: 3 } as const

const between = ([min, max]: readonly [number, number], room: number): number =>
  Math.min(max, Math.max(min, Math.floor(room)))

/**
 * The rows and columns of the board that are drawn, and where. Has the board read what comes into view.
 *
 * @param active the cell that Tab reaches, which is drawn wherever it is
 */
export function useGridWindow(scroller: Readonly<Ref<HTMLElement | null>>, active: Readonly<Ref<GridPlace>>) {
  const board = useBoardStore()
  const start = board.place
  const view = useScrollView(scroller, start)
  onMounted(() => {
    if (start) void nextTick(() => scroller.value?.scrollTo({ left: start.left }))
  })
  const columnCount = computed(() => board.environments.length)
  const agentWidth = computed(() => between(widths.agent, view.width - columnCount.value * widths.column[0]))
  const columnWidth = computed(() =>
    between(widths.column, (view.width - agentWidth.value) / columnCount.value),
  )
  const rows = useAxis({
    items: () => ({ size: sizes.row, count: board.total ?? 0, header: sizes.header }),
    view: () => [view.top, view.height],
    margin: () => margin.rows,
    pinned: () => [active.value.row - 1, active.value.row],
  })
  const columns = useAxis({
    items: () => ({ size: columnWidth.value, count: columnCount.value, header: agentWidth.value }),
    view: () => [view.left, view.width],
    margin: () => margin.columns,
    pinned: () => [active.value.column - 1, active.value.column],
  })

  const drawnColumns = computed<DrawnColumn[]>(() =>
    columns.drawn.value.map((index) => {
      const environment = board.environments[index]!
      const left = agentWidth.value + index * columnWidth.value
      return { environment, index, left, width: columnWidth.value, column: board.columns.get(environment.id) }
    }),
  )
  const drawnRows = computed(() =>
    rows.drawn.value.map((index) => ({
      index,
      top: sizes.header + index * sizes.row,
      row: board.rows.get(index) ?? null,
    })),
  )

  watch(
    () => {
      const [top] = rows.inView(0)
      const [firstRow] = rows.inView(wanted.above)
      const [, lastRow] = rows.inView(wanted.below)
      return [top, firstRow, lastRow, ...columns.inView(wanted.columns)] as const
    },
    (view, before) => {
      if (view.some((one, at) => one !== before?.[at])) board.want(view)
    },
    { immediate: true },
  )

  return {
    agentWidth,
    drawnColumns,
    drawnRows,
    /** The size of the whole grid, in pixels. */
    width: computed(() => agentWidth.value + columnCount.value * columnWidth.value),
    height: computed(() => sizes.header + (board.total ?? 0) * sizes.row),
    /** How many rows Page Up and Page Down move. */
    rowsOfPage: (): number => Math.max(1, Math.floor((view.height - sizes.header) / sizes.row) - 1),
    scrollByRows: (count: number): void => scroller.value?.scrollBy({ top: count * sizes.row }),
    /** Scrolls until a cell is in view. */
    reveal({ row, column }: GridPlace): void {
      const element = scroller.value
      if (!element) return
      const { scrollTop, clientHeight, scrollLeft, clientWidth } = element
      element.scrollTo({
        top: row > 0 ? rows.scrollTo(row - 1, scrollTop, clientHeight) : 0,
        left: column > 0 ? columns.scrollTo(column - 1, scrollLeft, clientWidth) : 0,
      })
    },
    rowHeight: sizes.row,
    headerHeight: sizes.header,
  }
}
