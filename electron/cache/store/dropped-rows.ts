import type Database from 'libsql'
import type { Notes } from './database/notes'
import { prepareRows } from './database/rows'

const droppedNote = 'dropped-rows'

/** How many keys are kept, the latest ones: a cache with more damage is hardly one. */
const maxKept = 1_000

/** The keys of deployments whose damaged rows were removed, until they are written again. */
export interface DroppedRows {
  /** Adds those of rows that are about to be removed. */
  add: (rows: number[]) => void
  /** Those that haven't been written again yet. */
  keys: () => ReadonlySet<string>
  forget: (keys: readonly string[]) => void
  /** Call it when a synchronisation has read the whole list: what is left no longer exists. */
  clear: () => void
}

/** Keeps them in a note. Call its functions inside the transaction of the change. */
export function createDroppedRows(db: Database.Database, notes: Notes): DroppedRows {
  // If one that was marked as gone comes back, that is a change.
  const selectKeys = prepareRows(
    db,
    'c.id',
    `from copy as c left join deployment as d on d.seq = c.seq
     where d.gone_at is null and c.seq in (select value from json_each(?))`,
  )

  const read = (): string[] => JSON.parse(notes.read(droppedNote) ?? '[]') as string[]
  const write = (keys: string[]): void =>
    notes.write(droppedNote, keys.length > 0 ? JSON.stringify(keys.slice(-maxKept)) : null)

  return {
    add(rows) {
      const keys = selectKeys<[string]>(JSON.stringify(rows)).map(([key]) => key)
      write([...new Set([...read(), ...keys])])
    },
    keys: () => new Set(read()),
    clear: () => write([]),
    forget: (keys) => write(read().filter((key) => !keys.includes(key))),
  }
}
