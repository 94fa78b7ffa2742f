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
