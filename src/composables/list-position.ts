/** A list of which only the rows in view are drawn, and only some need be there. */
export interface LongList<Row> {
  /** How many rows it has. */
  total: number
  /** The row of a place, counted from 0; undefined while it is not there yet. */
  at: (index: number) => Row | undefined
}

/** Where one is in a long list, to come back to. */
export interface ListPlace {
  /** How far it is scrolled, in pixels. */
  top: number
  /** The row that has the focus, and which of its links and buttons; null where none has it. */
  focused: { index: number; control: number } | null
}
