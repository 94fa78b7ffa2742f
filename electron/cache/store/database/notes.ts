import { cacheNotes } from '@contract/cache'
import type Database from 'libsql'
import { prepareRows } from './rows'

/** Small texts that are stored in the cache: the state of a synchronisation, the end of the search index. */
export interface Notes {
  read: (key: string) => string | null
  /** Null removes it. */
  write: (key: string, value: string | null) => void
  /** Stores when the service last answered with something that is cached. */
  newestAt: (moment: number) => void
  /** The highest row in the search index. */
  indexedUpTo: () => number
  noteIndexed: (seq: number) => void
}

/** The note of the highest row in the search index. */
const indexNote = 'finder-up-to'

export function createNotes(db: Database.Database): Notes {
  const select = prepareRows(db, 'value', 'from note where key = ?')
  const insert = db.prepare(
    'insert into note (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  )
  const remove = db.prepare('delete from note where key = ?')

  /** Notes as they are committed. Within a transaction, which may be rolled back, reads aren't remembered. */
  const known = new Map<string, string | null>()

  function write(key: string, value: string | null): void {
    known.delete(key)
    if (value === null) remove.run(key)
    else insert.run(key, value)
  }

  function read(key: string): string | null {
    const value = known.get(key)
    if (value !== undefined) return value
    const stored = select<[value: string]>(key)[0]?.[0] ?? null
    if (!db.inTransaction) known.set(key, stored)
    return stored
  }

  return {
    read,
    write,
    newestAt: (moment) => write(cacheNotes.newestAt, String(moment)),
    indexedUpTo: () => Number(read(indexNote) ?? 0),
    noteIndexed: (seq) => write(indexNote, String(seq)),
  }
}
