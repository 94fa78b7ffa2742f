import { type ColumnChoice, columnWidths } from '@contract/ipc/screens'

/**
 * All columns in the last order. Ignores unknown names. A column that is newer than the choices comes after the one
 * that it follows by default.
 *
 * @param keys the names of all columns, in their default order
 * @param always the column that can't be hidden
 */
export function arrangeColumns(
  keys: readonly string[],
  stored: readonly ColumnChoice[],
  always: string,
): ColumnChoice[] {
  const known = stored.filter(
    ({ key }, index) => keys.includes(key) && stored.findIndex((other) => other.key === key) === index,
  )
  const columns = known.map((choice) => (choice.key === always ? { ...choice, isShown: true } : choice))
  for (const [index, key] of keys.entries()) {
    if (columns.some((column) => column.key === key)) continue
    const before = columns.findIndex((column) => column.key === keys[index - 1])
    columns.splice(before + 1, 0, { key, isShown: true, width: null })
  }
  return columns
}

/** The columns with one moved by a place; the same if it is already at the end. */
export function moveColumn(columns: readonly ColumnChoice[], key: string, by: 1 | -1): ColumnChoice[] {
  const from = columns.findIndex((column) => column.key === key)
  const to = from + by
  const next = [...columns]
  const [moved] = next.splice(from, 1)
  if (from < 0 || to < 0 || to >= columns.length || !moved) return [...columns]
  next.splice(to, 0, moved)
  return next
}

/** The columns with one changed. */
export const changeColumn = (
  columns: readonly ColumnChoice[],
  key: string,
  change: Partial<ColumnChoice>,
): ColumnChoice[] => columns.map((column) => (column.key === key ? { ...column, ...change } : column))

/** A width within the limits, in whole pixels. */
export const columnWidth = (pixels: number): number =>
  Math.round(Math.min(columnWidths.max, Math.max(columnWidths.min, pixels)))
