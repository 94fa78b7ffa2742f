import type { VNodeChild } from 'vue'

/** A column of a DataTable. */
export interface TableColumn<Row> {
  key: string
  title: string
  /** The CSS width, such as "120px" or "20%". Columns without one share the rest. */
  width?: string
  /** The smallest width in pixels, if `width` isn't in pixels. */
  min?: number
  align?: 'left' | 'right'
  render: (row: Row) => VNodeChild
  /** Whether the title sorts rows by this column. */
  sortable?: boolean
  /** The order after the first click, if it isn't ascending: for times, operators want the newest first. */
  firstOrder?: 'descending'
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

/** The column that rows are sorted by. */
export interface TableSort {
  key: string
  order: 'ascending' | 'descending'
}

/** The order after a click on a column's title: cycles through one order, the other, and the original one (null). */
export function nextSort(
  { key, firstOrder }: Pick<TableColumn<never>, 'key' | 'firstOrder'>,
  sort: TableSort | null,
): TableSort | null {
  const first = firstOrder ?? 'ascending'
  const other = first === 'ascending' ? 'descending' : 'ascending'
  if (sort?.key !== key) return { key, order: first }
  return sort.order === first ? { key, order: other } : null
}

/** The rows of a list, in order. */
export interface RowList<Row> {
  total: number
  /** The row of an index; undefined while it is being read. */
  at: (index: number) => Row | undefined
}

export const listOf = <Row>(rows: readonly Row[]): RowList<Row> => ({
  total: rows.length,
  at: (index) => rows[index],
})

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
