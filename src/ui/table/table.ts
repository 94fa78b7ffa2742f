import { useEventListener, useResizeObserver } from '@vueuse/core'
import { computed, onMounted, ref, type Ref, shallowReactive, type VNodeChild, watch } from 'vue'
import { type Range, useVirtualizer } from '@tanstack/vue-virtual'
import { sizes } from '@/app/theme/tokens'

/** A column of a DataTable. */
export interface TableColumn<Row> {
  key: string
  title: string
  /** The CSS width, such as "120px" or "20%". Columns without one share the rest. */
  width?: string
  /** The smallest width in pixels, if `width` isn't in pixels. */
  min?: number
  render: (row: Row) => VNodeChild
  /** Whether the title sorts rows by this column. */
  sortable?: boolean
  /** Whether the first click sorts in descending order: of times, operators want the newest first. */
  descendsFirst?: boolean
  /** Whether the cell names its row for screen readers. */
  rowHeader?: boolean
  /** Whether the title is visually hidden, as for a column of buttons. */
  hideTitle?: boolean
}

/** The width of the column of checkboxes, in pixels: the screen's margin, a checkbox, and a gap. */
export const checkPixels = 44

/** The smallest width of a column, in pixels. */
export const leastWidth = ({ width, min }: Pick<TableColumn<never>, 'width' | 'min'>): number =>
  min ?? Number.parseFloat(width ?? '0')

/** How rows are sorted: by which column. */
export interface TableSort {
  by: string
  descending: boolean
}

/** The order after a click on a column's title: cycles through one order, the other, and the original one (null). */
export function nextSort(
  { key: by, descendsFirst = false }: Pick<TableColumn<never>, 'key' | 'descendsFirst'>,
  sort: TableSort | null,
): TableSort | null {
  if (sort?.by !== by) return { by, descending: descendsFirst }
  return sort.descending === descendsFirst ? { by, descending: !descendsFirst } : null
}

/** The rows of a list, in order; undefined while one is being read. */
export type ListRows<Row> = readonly (Row | undefined)[]

/** A row that had the focus when its table was left, by its key, and which of its links and buttons. */
export interface LeftRow {
  key: string
  control: number
}

/** A position in a list, to come back to. */
export interface ListPosition {
  /** How far the list is scrolled, in pixels. */
  top: number
  /** The row with the focus, and where it was; null for none. */
  focused: (LeftRow & { index: number }) | null
}

/** How many rows are drawn at first, and how many more each press of the button draws. */
export const moreRows = 50

/** Indexes from the first up to, but not including, the last. */
export type IndexRange = readonly [first: number, last: number]

/** The indexes of ranges that are below `count`, in order. */
function indexesOf(count: number, ...ranges: readonly (IndexRange | null)[]): number[] {
  const all = new Set<number>()
  for (const [first, last] of ranges.filter((range) => range !== null))
    for (let index = Math.max(0, first); index < Math.min(count, last); index += 1) all.add(index)
  return [...all].sort((one, other) => one - other)
}

interface AxisOptions {
  /** The items: their size in pixels, how many there are, and the size of the header that stays in view before them. */
  items: () => { size: number; count: number; header: number }
  /** How far it is scrolled, and how much of it is seen, header included, in pixels. */
  view: () => readonly [scrolled: number, room: number]
  /** How many more items than those in view are drawn on either side. */
  margin: () => number
  /** Items that are drawn wherever it is scrolled; null for none. */
  pinned: () => IndexRange | null
}

/** Items of one size that scroll along one axis. */
export function useAxis({ items, view, margin, pinned }: AxisOptions) {
  /** The items in view, and `more` on either side. */
  function inView(more: number): IndexRange {
    const { size, count, header } = items()
    const [scrolled, room] = view()
    const within = (index: number): number => Math.min(count, Math.max(0, index))
    const first = Math.floor(scrolled / size) - more
    return [within(first), within(Math.ceil((scrolled + Math.max(0, room - header)) / size) + more)]
  }

  return {
    inView,
    /** The indexes that are drawn: the same list until they change, so that nothing that depends on it changes. */
    drawn: computed<readonly number[]>((before) => {
      const now = indexesOf(items().count, inView(margin()), pinned())
      return before?.join() === now.join() ? before : now
    }),
    /** How far to scroll so that an item is in view, from where it is scrolled with a room, in pixels. */
    scrollTo(index: number, scrolled: number, room: number): number {
      const { size, header } = items()
      const start = index * size
      return Math.max(Math.min(scrolled, start), start + size + header - room)
    },
  }
}

/**
 * How far an element is scrolled, and how much it shows without its scroll bars, in pixels. It is read once for each
 * frame, before anything is drawn: reading it later would lay the page out twice.
 *
 * @param start where it begins; null for the top
 */
export function useScrollView(
  scroller: Readonly<Ref<HTMLElement | null>>,
  start: { top: number; left?: number } | null,
) {
  const view = shallowReactive({ top: start?.top ?? 0, left: start?.left ?? 0, width: 0, height: 0 })
  const onScroll = (): void => {
    if (scroller.value)
      Object.assign(view, { top: scroller.value.scrollTop, left: scroller.value.scrollLeft })
  }
  const measure = (): void => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = scroller.value ?? {}
    Object.assign(view, { width, height })
  }
  useResizeObserver(scroller, measure)
  useEventListener(scroller, 'scroll', onScroll, { passive: true })
  onMounted(() => {
    measure()
    if (start && scroller.value) scroller.value.scrollTop = start.top
  })
  return view
}

/**
 * How many rows on either side of the focused one stay drawn, as many as around the view. The next ones may have no
 * control: headings of groups, details, and entries that can't be opened.
 */
const neighbours = 10

/**
 * The rows that stay drawn wherever a table is scrolled: the focused one and its neighbours, so that Tab and Shift+Tab
 * find them. Rows that come into view are drawn a frame later at the earliest, and a Tab before that would leave the
 * table.
 *
 * @param focused the index of the focused row; null if there is none
 */
export const pinnedAround = (focused: number | null): IndexRange | null =>
  focused === null ? null : [focused - neighbours, focused + neighbours + 1]

/** A row to draw, and the height of the rows left out before it, in pixels. */
interface DrawnRow<Row> {
  row: Row
  index: number
  gap: number
}

/** How many rows above and below the view are drawn, so that scrolling and Tab reach them. */
const margin = 10

/** The assumed height of the scroller before it is mounted, in pixels. */
const firstHeight = 600

/**
 * Decides which `<tr>` elements of a table are drawn, each with the attribute `data-index`. They may differ in height.
 * The focused row stays drawn with its neighbours, and End moves to the last row.
 *
 * @param rows each with its key, so that its measured height moves with it
 */
export function useWindowedRows<Row extends { key: string }>(
  scroller: Readonly<Ref<HTMLElement | null>>,
  rows: () => readonly Row[],
) {
  const focused = ref<string | null>(null)
  const virtualizer = useVirtualizer(
    computed(() => {
      const all = rows()
      // Read here, so that the neighbours of a newly focused row are drawn at once.
      const index = all.findIndex(({ key }) => key === focused.value)
      const pinned = pinnedAround(index < 0 ? null : index)
      return {
        count: all.length,
        getScrollElement: () => scroller.value,
        estimateSize: () => sizes['row-tall'],
        getItemKey: (at: number) => all[at]!.key,
        initialRect: { width: 0, height: firstHeight },
        scrollPaddingStart: sizes.control,
        rangeExtractor: ({ startIndex, endIndex, count }: Range) =>
          indexesOf(count, [startIndex - margin, endIndex + 1 + margin], pinned),
      }
    }),
  )

  const drawn = computed<DrawnRow<Row>[]>(() => {
    const all = rows()
    let end = 0
    return virtualizer.value.getVirtualItems().flatMap(({ index, start, size }) => {
      const row = all[index]
      if (row === undefined) return []
      const gap = start - end
      end = start + size
      return [{ row, index, gap }]
    })
  })

  function note(target: EventTarget | null): void {
    const element = target instanceof Element ? target.closest<HTMLElement>('tr[data-index]') : null
    const row = element ? rows()[Number(element.dataset.index)] : undefined
    focused.value = row?.key ?? null
  }

  watch(
    [drawn, scroller],
    () => {
      for (const row of scroller.value?.querySelectorAll<HTMLElement>('tr[data-index]') ?? [])
        virtualizer.value.measureElement(row)
    },
    { flush: 'post' },
  )

  return {
    drawn,
    /** The height of the rows left out at the end, in pixels. */
    below: computed(
      () => virtualizer.value.getTotalSize() - (virtualizer.value.getVirtualItems().at(-1)?.end ?? 0),
    ),
    listeners: {
      focusin: ({ target }: FocusEvent) => note(target),
      // While the focus moves to another row, that row must stay drawn.
      focusout: ({ relatedTarget }: FocusEvent) => note(relatedTarget),
      keydown(event: KeyboardEvent): void {
        // A scrollable element inside a row handles the key itself.
        const isInside = event.target instanceof Element && event.target.closest('pre') !== null
        if (event.key !== 'End' || event.defaultPrevented || isInside) return
        event.preventDefault()
        virtualizer.value.scrollToIndex(rows().length - 1)
      },
    },
  }
}
