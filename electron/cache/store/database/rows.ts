import type Database from 'libsql'

/** Damage that was found in what SQLite itself reads without complaint. */
export class Damaged extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

/** Reads rows, each an array of the values of its columns. */
export type Rows = <Row extends unknown[]>(...parameters: unknown[]) => Row[]

/**
 * Prepares a query whose rows come as one JSON text, which is cheaper than a value at a time, and as bytes: libsql ends
 * the process when a text in a damaged file is not UTF-8.
 *
 * @param columns what each row has, as SQL
 * @param rest the query from `from` on, in which `columns` are known
 */
export function prepareRows(db: Database.Database, columns: string, rest: string): Rows {
  const statement = db.prepare(
    `select cast('[' || coalesce(group_concat(line), '') || ']' as blob) as lines
     from (select json_array(${columns}) as line ${rest})`,
  )
  return <Row extends unknown[]>(...parameters: unknown[]): Row[] => {
    const { lines } = statement.get(...parameters) as { lines: ArrayBuffer }
    try {
      return JSON.parse(Buffer.from(lines).toString()) as Row[]
    } catch {
      throw new Damaged('a row is not text')
    }
  }
}

/** A moment of a row as ISO 8601; null where it can be none. */
export function isoMoment(moment: unknown): string | null {
  if (typeof moment !== 'number' || !(moment >= 0 && moment < 8.64e15)) return null
  return new Date(moment).toISOString()
}
