/** A list that draws and loads only the rows in view. */
export interface VirtualList<Row> {
  total: number
  /** The row of an index; undefined while it is not loaded. */
  at: (index: number) => Row | undefined
}

/** A row that had the focus when its table was left, by its `data-key`, and which of its links and buttons. */
export interface LeftRow {
  key: string
  control: number
}

/** A position in a virtual list, to come back to. */
export interface ListPosition {
  /** How far the list is scrolled, in pixels. */
  top: number
  /** The row with the focus, and which of its links and buttons has it; null for none. */
  focused: { index: number; control: number } | null
}
