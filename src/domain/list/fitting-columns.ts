/** A column, and the least width it needs, in pixels. */
interface FittingColumn {
  key: string
  min: number
}

/**
 * The columns that give way so that the others fit: one after the other, in the order of `givesWay`. Columns that
 * aren't in it always stay, even if the table then scrolls sideways.
 *
 * @param room the room for all columns, in pixels
 */
export function crowdedOut(
  columns: readonly FittingColumn[],
  givesWay: readonly string[],
  room: number,
): string[] {
  let needed = columns.reduce((sum, { min }) => sum + min, 0)
  const out: string[] = []
  for (const key of givesWay) {
    if (needed <= room) break
    const column = columns.find((one) => one.key === key)
    if (!column) continue
    out.push(key)
    needed -= column.min
  }
  return out
}
