import type Database from 'libsql'

/** Damage that SQLite itself reads without an error. */
export class Damaged extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

/** Reads rows, each an array of the values of its columns. */
export type Rows = <Row extends unknown[]>(...parameters: unknown[]) => Row[]

/**
 * Prepares a query whose rows are read as one JSON text, which is cheaper than single values. The text is read as
 * bytes: libsql ends the process if a text in a damaged file isn't UTF-8.
 *
 * @param columns the columns of each row, as SQL
 * @param rest the query from `from` on
 */
export function prepareRows(db: Database.Database, columns: string, rest: string): Rows {
  const statement = db.prepare(
    `select cast('[' || coalesce(group_concat(line), '') || ']' as blob) as lines
     from (select json_array(${columns}) as line ${rest})`,
  )
  return <Row extends unknown[]>(...parameters: unknown[]): Row[] => {
    try {
      const { lines } = statement.get(...parameters) as { lines: ArrayBuffer }
      return JSON.parse(Buffer.from(lines).toString()) as Row[]
    } catch (error) {
      throw isOfValues(error) ? new Damaged('a row is not text') : error
    }
  }
}

/**
 * Whether an error is about the values of a row: they aren't JSON, or SQLite found a blob where only text is written.
 */
const isOfValues = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.message === 'JSON cannot hold BLOB values')

/** A time in a row as ISO 8601; null if it isn't valid. */
export function isoMoment(moment: unknown): string | null {
  if (typeof moment !== 'number' || !(moment >= 0 && moment < 8.64e15)) return null
  return new Date(moment).toISOString()
}
