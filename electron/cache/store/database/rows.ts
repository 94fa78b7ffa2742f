import type Database from 'libsql'
import { cacheNotes } from '@contract/cache'

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

/**
 * The form in which an identifier is stored and looked up. Different identifiers have different forms, which every
 * layer below stores unchanged. In places, SQLite stops at a NUL, and half a surrogate pair has no UTF-8. Usual
 * identifiers don't change.
 */
export function toKey(identifier: string): string {
  return JSON.stringify(identifier).slice(1, -1)
}

/** The identifier of a key that `toKey` made. */
export function fromKey(key: string): string {
  return key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key
}

/** Text for search and sorting. Characters that can't be stored become U+FFFD. */
export function storable(text: string): string {
  return /[\0\p{Surrogate}]/u.test(text) ? text.replace(/[\0\p{Surrogate}]/gu, '\ufffd') : text
}

/**
 * The prefix of the checksum of a deployment that is marked as gone, so that it counts as changed when it comes back.
 */
export const gonePrefix = 'gone:'

/** The note of the highest row in the search index. */
const indexNote = 'finder-up-to'

export type Notes = ReturnType<typeof createNotes>

/** Small texts that are stored in the cache: the state of a synchronisation, the end of the search index. */
export function createNotes(db: Database.Database) {
  const select = prepareRows(db, 'value', 'from note where key = ?')
  const insert = db.prepare(
    'insert into note (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  )
  const remove = db.prepare('delete from note where key = ?')

  const read = (key: string): string | null => select<[value: string]>(key)[0]?.[0] ?? null

  function write(key: string, value: string | null): void {
    if (value === null) remove.run(key)
    else insert.run(key, value)
  }

  return {
    read,
    /** Null removes it. */
    write,
    /** Stores when the service last answered with something that is cached. */
    newestAt: (moment: number): void => write(cacheNotes.newestAt, String(moment)),
    /** The highest row in the search index. */
    indexedUpTo: (): number => Number(read(indexNote) ?? 0),
    noteIndexed: (seq: number): void => write(indexNote, String(seq)),
  }
}
