import type { Environment } from '@contract'
import type { BoardColumn, BoardRow } from '@contract/ipc/calls/caches'
import { type Range, useVirtualizer } from '@tanstack/vue-virtual'
import { computed, nextTick, onBeforeUnmount, onMounted, type Ref, ref, watch } from 'vue'
import { withFocusedRow } from '@/components/table/focused-row'
import type { BoardPlace } from '@/stores/board'
import type { DrawnColumn } from './drawn-column'
import type { GridPlace } from './grid-keys'

interface Options {
  /** The element that scrolls. */
  scroller: Readonly<Ref<HTMLElement | null>>
  rows: () => ReadonlyMap<number, BoardRow>
  total: () => number
  environments: () => readonly Environment[]
  columns: () => ReadonlyMap<string, BoardColumn>
  /** The cell that Tab reaches, which is drawn wherever it is. */
  active: Readonly<Ref<GridPlace>>
  /** The position to begin at; null for the top. */
  start: BoardPlace | null
  /** Receives the range to read: from the first up to, but not including, the last. */
  onWant: (firstRow: number, lastRow: number, firstColumn: number, lastColumn: number) => void
}

const sizes = { row: 72, header: 56 } as const
/** The smallest and the largest width of a column, in pixels. Agents get the spare room first, then environments. */
const widths = { agent: [250, 380], column: [224, 320] } as const
const margin = { rows: 6, columns: 2 } as const

const between = ([min, max]: readonly [number, number], wanted: number): number =>
  Math.min(max, Math.max(min, Math.floor(wanted)))

/** The rows and columns of the board that are drawn, and where: those in view and a few around them. */
export function useGridWindow({
  scroller,
  rows,
  total,
  environments,
  columns,
  active,
  start,
  onWant,
}: Options) {
  /** The width of the view without a scroll bar, in pixels. */
  const room = ref(0)
  const agentWidth = computed(() =>
    between(widths.agent, room.value - environments().length * widths.column[0]),
  )
  const columnWidth = computed(() =>
    between(widths.column, (room.value - agentWidth.value) / environments().length),
  )
  const observer = new ResizeObserver(() => {
    room.value = scroller.value?.clientWidth ?? 0
  })
  onMounted(() => {
    const element = scroller.value
    if (!element) return
    observer.observe(element)
    if (start === null) return
    element.scrollTop = start.top
    room.value = element.clientWidth
    void nextTick(() => (element.scrollLeft = start.left))
  })
  onBeforeUnmount(() => observer.disconnect())

  const byRow = useVirtualizer(
    computed(() => {
      const pinned = active.value.row - 1
      return {
        count: total(),
        getScrollElement: () => scroller.value,
        initialOffset: start?.top ?? 0,
        estimateSize: () => sizes.row,
        overscan: margin.rows,
        scrollMargin: sizes.header,
        scrollPaddingStart: sizes.header,
        rangeExtractor: (range: Range) => withFocusedRow(range, pinned < 0 ? null : pinned),
      }
    }),
  )
  const byColumn = useVirtualizer(
    computed(() => {
      const pinned = active.value.column - 1
      const count = environments().length
      const [agent, column] = [agentWidth.value, columnWidth.value]
      return {
        horizontal: true,
        count,
        getScrollElement: () => scroller.value,
        initialOffset: start?.left ?? 0,
        estimateSize: () => column,
        overscan: margin.columns,
        scrollMargin: agent,
        scrollPaddingStart: agent,
        rangeExtractor: (range: Range) => {
          const indexes = new Set(withFocusedRow(range, null))
          if (pinned >= 0 && pinned < count) indexes.add(pinned)
          return [...indexes].sort((one, other) => one - other)
        },
      }
    }),
  )

  watch(columnWidth, () => byColumn.value.measure())

  /** The same array while its columns are the same, so that scrolling down draws only the rows that come into view. */
  const drawnColumns = computed<DrawnColumn[]>((before) => {
    const drawn = byColumn.value.getVirtualItems().flatMap(({ index, start: left, size }) => {
      const environment = environments()[index]
      return environment
        ? [{ environment, index, left, width: size, column: columns().get(environment.id) }]
        : []
    })
    const isSame = drawn.every(({ environment, index, left, width, column }, at) => {
      const one = before?.[at]
      return (
        one?.environment === environment &&
        one.index === index &&
        one.left === left &&
        one.width === width &&
        one.column === column
      )
    })
    return before && isSame && before.length === drawn.length ? before : drawn
  })
  const drawnRows = computed(() =>
    byRow.value
      .getVirtualItems()
      .map(({ index, start: top }) => ({ index, top, row: rows().get(index) ?? null })),
  )

  watch(
    () => {
      const [vertical, horizontal] = [byRow.value.range, byColumn.value.range]
      if (!vertical) return null
      return [
        Math.max(0, vertical.startIndex - margin.rows),
        Math.min(total(), vertical.endIndex + 1 + margin.rows * 3),
        Math.max(0, (horizontal?.startIndex ?? 0) - margin.columns),
        Math.min(environments().length, (horizontal?.endIndex ?? 0) + 1 + margin.columns),
      ] as const
    },
    (range) => range && onWant(...range),
    { immediate: true },
  )

  return {
    agentWidth,
    drawnColumns,
    drawnRows,
    /** The width of all columns together, in pixels. */
    width: computed(() => agentWidth.value + environments().length * columnWidth.value),
    /** The height of the header and all rows together, in pixels. */
    height: computed(() => sizes.header + total() * sizes.row),
    /** How many rows Page Up and Page Down move. */
    rowsOfPage: (): number =>
      Math.max(1, Math.floor(((scroller.value?.clientHeight ?? 0) - sizes.header) / sizes.row) - 1),
    /** The row at the top of the view. */
    firstRow: (): number => Math.floor((scroller.value?.scrollTop ?? 0) / sizes.row),
    scrollByRows(count: number): void {
      if (scroller.value) scroller.value.scrollTop += count * sizes.row
    },
    /** Scrolls until a cell is in view. */
    reveal({ row, column }: GridPlace): void {
      if (row > 0) byRow.value.scrollToIndex(row - 1)
      else if (scroller.value) scroller.value.scrollTop = 0
      if (column > 0) byColumn.value.scrollToIndex(column - 1)
      else if (scroller.value) scroller.value.scrollLeft = 0
    },
    rowHeight: sizes.row,
    headerHeight: sizes.header,
  }
}
