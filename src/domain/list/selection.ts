/** What can be selected: it is found again by its identifier. */
interface Selectable {
  id: string
}

/** The rows that are selected, and how a range goes on from there. */
export interface Selection<Row extends Selectable> {
  /** By identifier, in the order in which they were selected. */
  rows: ReadonlyMap<string, Row>
  /** Where a range begins; null for none. */
  anchor: string | null
  /** What stays selected beside the range, however it grows or shrinks. */
  base: ReadonlyMap<string, Row>
}

export const nothingSelected: Selection<never> = {
  rows: new Map<string, never>(),
  anchor: null,
  base: new Map<string, never>(),
}

const withRows = <Row extends Selectable>(
  selected: ReadonlyMap<string, Row>,
  rows: readonly Row[],
): ReadonlyMap<string, Row> => new Map([...selected, ...rows.map((row) => [row.id, row] as const)])

const without = <Row>(selected: ReadonlyMap<string, Row>, id: string): ReadonlyMap<string, Row> =>
  new Map([...selected].filter(([other]) => other !== id))

/** Selects one row alone, as a click does. */
export const selectOnly = <Row extends Selectable>(row: Row): Selection<Row> => ({
  rows: new Map([[row.id, row]]),
  anchor: row.id,
  base: new Map(),
})

/** Selects a row too, or takes it out, as Ctrl with a click does. */
export function toggleRow<Row extends Selectable>(selection: Selection<Row>, row: Row): Selection<Row> {
  if (!selection.rows.has(row.id)) return beginAt(selection, row)
  const others = without(selection.rows, row.id)
  return { rows: others, anchor: row.id, base: others }
}

/** Begins a range at a row, which it selects too. */
export function beginAt<Row extends Selectable>({ rows }: Selection<Row>, row: Row): Selection<Row> {
  return { rows: withRows(rows, [row]), anchor: row.id, base: without(rows, row.id) }
}

/**
 * Selects a range, as Shift with a click or an arrow key does, in place of the range before. Rows that were selected one
 * by one stay.
 *
 * @param range the rows from the anchor to the last one, in any order
 */
export function extendTo<Row extends Selectable>(
  { anchor, base }: Selection<Row>,
  range: readonly Row[],
): Selection<Row> {
  return { rows: withRows(base, range), anchor, base }
}

/** Selects further rows, whichever they are. */
export function addRows<Row extends Selectable>(
  { rows, anchor }: Selection<Row>,
  more: readonly Row[],
): Selection<Row> {
  const all = withRows(rows, more)
  return { rows: all, anchor, base: all }
}

/** Has the selected rows as they are now: a row may have changed since it was selected. */
export function updateRows<Row extends Selectable>(
  { rows, anchor, base }: Selection<Row>,
  now: readonly Row[],
): Selection<Row> {
  const current = (selected: ReadonlyMap<string, Row>): ReadonlyMap<string, Row> => {
    const changed = now.filter((row) => selected.has(row.id))
    return changed.length > 0 ? withRows(selected, changed) : selected
  }
  return { rows: current(rows), anchor, base: current(base) }
}
