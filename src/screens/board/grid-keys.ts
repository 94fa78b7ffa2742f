/** A position in the grid: row 0 has the headers, column 0 the agents. */
export interface GridPlace {
  row: number
  column: number
}

interface GridSize {
  rows: number
  columns: number
  /** How many rows Page Up and Page Down move. */
  page: number
}

/** The position that a key moves to (ARIA practices); null for a key that doesn't move. */
export function gridStep(
  event: KeyboardEvent,
  from: GridPlace,
  { rows, columns, page }: GridSize,
): GridPlace | null {
  if (event.altKey || event.shiftKey || event.metaKey) return null
  const to = stepOf(event.key, event.ctrlKey, from, { rows, columns, page })
  if (to === null) return null
  const within = (value: number, max: number): number => Math.min(max, Math.max(0, value))
  return { row: within(to.row, rows), column: within(to.column, columns) }
}

function stepOf(
  key: string,
  withControl: boolean,
  { row, column }: GridPlace,
  { rows, columns, page }: GridSize,
): GridPlace | null {
  if (key === 'Home') return { row: withControl ? 0 : row, column: 0 }
  if (key === 'End') return { row: withControl ? rows : row, column: columns }
  if (withControl) return null
  if (key === 'ArrowRight') return { row, column: column + 1 }
  if (key === 'ArrowLeft') return { row, column: column - 1 }
  if (key === 'ArrowDown' || key === 'j') return { row: row + 1, column }
  if (key === 'ArrowUp' || key === 'k') return { row: row - 1, column }
  if (key === 'PageDown') return { row: row + page, column }
  return key === 'PageUp' ? { row: row - page, column } : null
}
