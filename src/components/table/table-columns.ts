import type { VNodeChild } from 'vue'

/** A column of a DataTable. */
export interface TableColumn<Row> {
  key: string
  title: string
  /** Width as CSS: "120px" or "20%"; without it the column shares the rest. */
  width?: string
  align?: 'left' | 'right'
  /** What the cell shows; by default the row's member of the column's key. */
  render?: (row: Row) => VNodeChild
  /** Orders rows by this column; `external` leaves that to who listens to `update:sort`. */
  sorter?: ((a: Row, b: Row) => number) | 'external'
  /** The cell names its row for screen readers. */
  rowHeader?: boolean
  /** Hides the title from the eye, such as of a column of buttons. */
  hideTitle?: boolean
}

/** By which column rows are ordered. */
export interface TableSort {
  key: string
  order: 'ascending' | 'descending'
}

/** The rows in the order of `sort`; as they came where the column has no order of its own. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: TableColumn<Row>[],
  sort: TableSort | null,
): readonly Row[] {
  const sorter = columns.find(({ key }) => key === sort?.key)?.sorter
  if (!sort || typeof sorter !== 'function') return rows
  const sign = sort.order === 'ascending' ? 1 : -1
  return [...rows].sort((a, b) => sign * sorter(a, b))
}
