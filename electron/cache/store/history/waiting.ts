import type Database from 'libsql'
import type { Notes } from '../database/notes'
import { prepareRows } from '../database/rows'
import { pack, unpack } from './pack'
import type { StoredEntry } from './stored'

/** An uncertain entry. `before` is the state before it, as JSON text; null if that is too large to store. */
export interface WaitingEntry {
  key: string
  seenAt: number
  entry: StoredEntry
  before: string | null
}

/**
 * Uncertain entries. Each is stored as a note meanwhile: the cache already shows its result, so no later answer would
 * report it again if the process ended.
 */
interface WaitingEntries {
  /** Stores an entry. It replaces an earlier one of the same deployment. */
  keep: (one: WaitingEntry) => void
  drop: (key: string) => void
  /** Those of this session, and those that `takeLeft` would give, newest first. */
  all: () => WaitingEntry[]
  /** Removes and gives the entries of a session that didn't close the cache, oldest first. */
  takeLeft: () => WaitingEntry[]
  /** Call it after a rollback: the entries that are stored count as those of an earlier session. */
  undone: () => void
}

const prefix = 'waiting '

/** As a note has it: `before` is packed and in base64. */
type Noted = Omit<WaitingEntry, 'key'>

export function createWaitingEntries(db: Database.Database, notes: Notes): WaitingEntries {
  const keys = prepareRows(db, 'key', `from note where key >= '${prefix}' and key < 'waiting!'`)
  const entries = new Map<string, WaitingEntry>()
  /** Whether there may be entries that `entries` doesn't have. */
  let mayBeLeft = true

  const storedKeys = (): string[] => keys<[key: string]>().map(([key]) => key.slice(prefix.length))

  const forget = (key: string): void => notes.write(prefix + key, null)

  function noted(key: string): WaitingEntry[] {
    const text = notes.read(prefix + key)
    if (text === null) return []
    const { before, ...one } = JSON.parse(text) as Noted
    return [{ key, ...one, before: before === null ? null : unpack(Buffer.from(before, 'base64')) }]
  }

  return {
    keep(one) {
      const { key, before, ...rest } = one
      const packed = before === null ? null : pack(before)
      const note: Noted = { ...rest, before: packed && Buffer.from(packed).toString('base64') }
      notes.write(prefix + key, JSON.stringify(note))
      entries.set(key, one)
    },

    drop(key) {
      if (entries.delete(key)) forget(key)
    },

    all: () =>
      (mayBeLeft ? storedKeys().flatMap(noted) : [...entries.values()]).sort(
        (one, other) => other.seenAt - one.seenAt,
      ),

    takeLeft() {
      if (!mayBeLeft) return []
      mayBeLeft = false
      const left = storedKeys()
      const found = left.flatMap(noted).sort((one, other) => one.seenAt - other.seenAt)
      left.forEach(forget)
      return found
    },

    undone() {
      entries.clear()
      mayBeLeft = true
    },
  }
}
