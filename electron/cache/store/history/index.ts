import {
  type Change,
  cacheNotes,
  type HistoryState,
  maxHistory,
  type Observer,
  defaultHistoryDays,
  defaultSyncInterval,
} from '@contract/cache'
import type { Span } from '../../protocol'
import { exactly, parseExact } from '@contract/core/exact-json'
import { pauseMs } from '@domain/timeline'
import type Database from 'libsql'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { answerLimits } from '@contract/deployment-api/list'
import { type Notes, prepareRows } from '../database'
import { changesBetween, statusIn } from './changes-between'

/** Roughly how many bytes of the file a row takes besides its texts. */
const rowBytes = 200

const dayMs = 24 * 60 * 60_000

/** A deployment as an answer shows it. */
interface Known {
  /** Its identifier as it is stored. */
  key: string
  name: string
  /** The answer without values of secrets, as JSON text. */
  json: string
}

/** A change from the known state, as an answer shows it. Times are milliseconds since 1970. */
interface SeenChange {
  /** The state before, and when it was last seen. */
  before: { json: string; seenAt: number; wasGone: boolean }
  now: Known
  at: number
  by: Observer
}

export type History = ReturnType<typeof createHistory>

/**
 * Records the history of a cache. Call every function that writes inside a transaction. Times are milliseconds since
 * 1970.
 *
 * @param maxBytes how many bytes it may take
 */
export function createHistory(
  db: Database.Database,
  notes: Notes,
  maxBytes = maxHistory.megabytes * 1024 ** 2,
) {
  const insert = db.prepare('insert into history (id, seen_at, bytes, entry) values (?, ?, ?, ?)')
  const insertEarlier = db.prepare('insert into earlier (seq, content) values (?, ?)')
  const lastRow = prepareRows(db, 'seq', "from sqlite_sequence where name = 'history'")
  const latestOf = prepareRows(db, 'entry', 'from history where id = ? order by seq desc limit 1')
  const lookOn = db.prepare(
    'update look set to_at = max(to_at, ?) where seq in (select value from json_each(?)) and to_at >= ?',
  )
  const lookAnew = db.prepare(
    `insert or ignore into look (seq, from_at, to_at) select value, ?, ? from json_each(?)
     where not exists (select 1 from look where seq = value and to_at >= ?)`,
  )
  const lastObserved = prepareRows(db, 'seq, from_at, to_at', 'from observed order by seq desc limit 1')
  const insertObserved = db.prepare('insert into observed (from_at, to_at) values (?, ?)')
  const extendObserved = db.prepare('update observed set to_at = ? where seq = ?')

  const retention = createRetention(db, notes, maxBytes)

  /** `before` is the state before the change, as JSON text, unless it is stored otherwise. */
  function append(key: string, seenAt: number, entry: StoredEntry, before: string | null): void {
    const text = JSON.stringify(entry)
    const packed = before === null ? null : pack(before)
    // The identifier is stored in the table and in an index.
    const texts = Buffer.byteLength(text) + 2 * Buffer.byteLength(key)
    const bytes = rowBytes + texts + (packed?.byteLength ?? 0)
    const { lastInsertRowid } = insert.run(key, seenAt, bytes, text)
    if (packed) insertEarlier.run(Number(lastInsertRowid), packed)
  }

  function days(): HistoryState['days'] {
    const noted = notes.read(cacheNotes.historyDays)
    return noted === null ? defaultHistoryDays : (Number(noted) as HistoryState['days'])
  }

  /** The largest pause between synchronisations that counts as continuous observation. */
  function syncPauseMs(): number {
    const minutes = Number(notes.read(cacheNotes.interval) ?? defaultSyncInterval)
    return pauseMs + 1.5 * minutes * 60_000
  }

  const isLastGone = (key: string): boolean => {
    const [row] = latestOf<[text: string]>(key)
    return row !== undefined && (JSON.parse(row[0]) as StoredEntry).changes.at(-1)?.kind === 'gone'
  }

  const begunAt = (): number | null => {
    const noted = notes.read(sinceNote)
    return noted === null ? null : Number(noted)
  }

  return {
    /** Whether the cache once had the whole list, so that an unknown deployment is new. */
    hasBegun: (): boolean => begunAt() !== null,

    /** Notes a deployment that the cache didn't have. */
    appeared({ key, name, json }: Known, at: number, by: Observer): void {
      const noted = notes.read(cacheNotes.synchronisedAt)
      const change: Change = {
        kind: isLastGone(key) ? 'back' : 'appeared',
        member: null,
        before: null,
        after: statusIn(JSON.parse(json)),
      }
      const previousAt = noted === null ? null : Math.min(Number(noted), at)
      append(key, at, { name, by, previousAt, changes: [change] }, null)
    },

    /** Notes the changes in an answer, if there are any. */
    changed({ before, now: { key, name, json }, at, by }: SeenChange): void {
      const [old, now] = [before.json, json].map((text) => exactly(parseExact(text)).value)
      const found = changesBetween(old, now)
      const back: Change = { kind: 'back', member: null, before: null, after: statusIn(now) }
      const changes = before.wasGone ? [back, ...found.filter(({ kind }) => kind !== 'status')] : found
      if (changes.length === 0) return
      append(key, at, { name, by, previousAt: Math.min(before.seenAt, at), changes }, before.json)
    },

    /** Notes that a deployment is gone. It was last seen at `seenAt`. */
    gone({ key, name, json }: Known, seenAt: number, at: number): void {
      const change: Change = { kind: 'gone', member: null, before: statusIn(JSON.parse(json)), after: null }
      append(key, at, { name, by: 'sync', previousAt: Math.min(seenAt, at), changes: [change] }, json)
    },

    /** Notes that an answer showed rows of the cache, outside of a synchronisation. */
    looked(rows: number[], at: number): void {
      const list = JSON.stringify(rows)
      lookOn.run(at, list, at - pauseMs)
      lookAnew.run(at, at, list, at - pauseMs)
    },

    /** Notes that a synchronisation has read the whole list. */
    synchronised({ sentAt, receivedAt }: Span): void {
      if (begunAt() === null) notes.write(sinceNote, String(receivedAt))
      const [before] = lastObserved<[seq: number, from: number, to: number]>()
      if (before && sentAt >= before[1] && sentAt - before[2] <= syncPauseMs()) {
        const [seq, , to] = before
        extendObserved.run(Math.max(to, receivedAt), seq)
      } else {
        insertObserved.run(sentAt, receivedAt)
      }
      notes.write(cacheNotes.synchronisedAt, String(receivedAt))
    },

    /** For how many days changes are kept. */
    days,

    /** Removes old rows, and rows beyond the limit. */
    tidy(): void {
      retention.trim(Date.now() - days() * dayMs)
    },

    /** The size of the history, and its number of rows. */
    size: retention.size,

    /** When the history began; null before a synchronisation has read the whole list. */
    since(now: number): number | null {
      const begun = begunAt()
      return begun === null ? null : Math.max(begun, now - days() * dayMs)
    },

    /** The number of the last row; 0 if there was none. */
    last: (): number => lastRow<[seq: number]>()[0]?.[0] ?? 0,
  }
}

/** The content of a history row, besides the deployment's identifier and the time. */
export interface StoredEntry {
  name: string
  by: Observer
  /** The change happened after this time, in milliseconds; null if that isn't known. */
  previousAt: number | null
  /** The changes that one answer showed. */
  changes: Change[]
}

/** A moment in milliseconds as ISO 8601. */
export const iso = (moment: number): string => new Date(moment).toISOString()

/** Larger packed texts aren't stored: a few of them would push everything else out of the history. */
const maxPacked = 256 * 1024

/** A text in the history's form; null if it is too large. */
function pack(text: string): Uint8Array | null {
  const packed = deflateRawSync(text, { level: 3 })
  return packed.byteLength > maxPacked ? null : packed
}

/** The original of a packed text. Throws for anything else. */
export function unpack(packed: Uint8Array): string {
  return inflateRawSync(packed, { maxOutputLength: answerLimits.bytes }).toString()
}

/** The note of when the history began, in milliseconds: with the first complete synchronisation, or later. */
const sinceNote = 'history-since'

/** Roughly how many bytes of the file an observation of one deployment takes. */
const lookBytes = 40

/** How many observations of single deployments are kept. */
const maxLooks = 200_000

/**
 * Bounds a history by age and by size.
 *
 * @param maxBytes how many bytes the history may take
 */
function createRetention(db: Database.Database, notes: Notes, maxBytes: number) {
  const sizes = db.prepare(
    `select count(*) as rows, coalesce(sum(bytes), 0) as bytes, (select count(*) from look) as looks from history`,
  )
  const newestBeyond = prepareRows(
    db,
    'seq, seen_at',
    `from (select seq, seen_at, sum(bytes) over (order by seq desc) as total from history)
     where total > ? order by seq desc limit 1`,
  )
  const removalsBySize = [
    db.prepare('delete from earlier where seq <= ?'),
    db.prepare('delete from history where seq <= ?'),
  ]
  const removalsByAge = [
    db.prepare('delete from earlier where seq in (select seq from history where seen_at < ?)'),
    db.prepare('delete from history where seen_at < ?'),
    db.prepare('delete from observed where to_at < ?'),
    db.prepare('delete from look where to_at < ?'),
  ]
  const removeLooks = db.prepare(
    `delete from look where to_at <= (select to_at from look order by to_at desc limit 1 offset ${maxLooks})`,
  )

  const measured = (): { bytes: number; rows: number; looks: number } =>
    sizes.get() as { bytes: number; rows: number; looks: number }

  /** Notes that the history isn't complete before a moment. */
  function beginsAt(moment: number): void {
    const begun = notes.read(sinceNote)
    if (begun !== null && Number(begun) < moment) notes.write(sinceNote, String(moment))
  }

  return {
    /** Removes what is older than a time, in milliseconds since 1970, and what is beyond the limits. */
    trim(end: number): void {
      for (const removal of removalsByAge) removal.run(end)
      beginsAt(end)
      const { bytes, looks } = measured()
      if (looks > maxLooks) removeLooks.run()
      const [last] = bytes > maxBytes ? newestBeyond<[seq: number, seenAt: number]>(maxBytes) : []
      if (!last) return
      for (const removal of removalsBySize) removal.run(last[0])
      beginsAt(last[1])
    },

    /** The size of the history, and its number of rows. */
    size(): { bytes: number; rows: number } {
      const { bytes, rows, looks } = measured()
      return { bytes: bytes + lookBytes * looks, rows }
    },
  }
}
