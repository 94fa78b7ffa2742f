import {
  type Change,
  cacheNotes,
  historyDays,
  type HistoryState,
  maxHistory,
  type Observer,
  type Span,
  syncIntervals,
  defaultHistoryDays,
  defaultSyncInterval,
} from '@contract/cache'
import { exactly, parseExact } from '@contract/core/exact-json'
import { clockWasSetMs, pauseMs } from '@domain/history/times'
import type Database from 'libsql'
import type { Notes } from '../database/notes'
import { prepareRows } from '../database/rows'
import type { Tags } from '../encryption/keys'
import { changesBetween, statusIn } from './changes-between'
import { agedToNote, notYet, readAgedTo, readSince, sinceNote, unconfirmedNote } from './history-notes'
import { pack } from './pack'
import { createReplicas, type Known, type SeenChange } from './replicas'
import { createRetention } from './retention'
import { type StoredEntry, tagOfEntry, tagOfPacked } from './stored'
import { createWaitingEntries, type WaitingEntry } from './waiting'

/** Roughly how many bytes of the file a row takes besides its texts. */
const rowBytes = 200

const dayMs = 24 * 60 * 60_000

/** When something was last seen, if that was before `at`; null if the clock was set back since. */
function earlier(seenAt: number, at: number): number | null {
  if (seenAt <= at) return seenAt
  return seenAt - at <= clockWasSetMs ? at : null
}

/**
 * Records the history of a cache. Call every function that writes inside a transaction. Times are milliseconds since
 * 1970.
 */
export interface History {
  /** Whether the cache once had the whole list, so that an unknown deployment is new. */
  hasBegun: () => boolean
  /** Notes a deployment that the cache didn't have. */
  appeared: (now: Known, at: number, by: Observer) => void
  /** Notes the changes in an answer, if there are any. */
  changed: (change: SeenChange, alike: boolean) => void
  /** Notes that an answer showed the known state of deployments, by key. */
  seen: (keys: Iterable<string>, at: number) => void
  /** Notes the uncertain changes. Call it before the cache is closed. */
  settle: () => void
  /** The changes that aren't certain yet, newest first. */
  waiting: () => Pick<WaitingEntry, 'seenAt' | 'entry'>[]
  /** Notes that a deployment is gone. It was last seen at `seenAt`. */
  gone: (before: Known, seenAt: number, at: number) => void
  /** Notes that an answer showed rows of the cache, outside of a synchronisation. */
  looked: (rows: number[], at: number) => void
  /** Notes the end of a synchronisation. `complete`: it has read the whole list. `servedAt`: the service's time. */
  synchronised: (span: Span, complete: boolean, servedAt: number | null) => void
  /** For how many days changes are kept. */
  days: () => HistoryState['days']
  /** Removes old rows, as far as two clocks agree on their age, and rows beyond the limit. */
  tidy: () => void
  /** The size of the history, and its number of rows. */
  size: () => { bytes: number; rows: number }
  /** When the history began; null before a synchronisation has read the whole list. */
  since: (now: number) => number | null
  /** The number of the last row; 0 if there was none. */
  last: () => number
  /** Call it after a rollback. Forgets what isn't stored: uncertain changes count as after a crash. */
  undone: () => void
}

/** `maxBytes` is how many bytes it may take. */
export function createHistory(
  db: Database.Database,
  tags: Tags,
  notes: Notes,
  maxBytes = maxHistory.megabytes * 1024 ** 2,
): History {
  const insert = db.prepare(
    'insert into history (seq, id, seen_at, bytes, tag, entry) values (?, ?, ?, ?, ?, ?)',
  )
  const insertEarlier = db.prepare('insert into earlier (seq, tag, content) values (?, ?, ?)')
  const lastRow = prepareRows(db, 'seq', "from sqlite_sequence where name = 'history'")
  const latestOf = prepareRows(
    db,
    'seq, seen_at, tag, entry',
    'from history where id = ? order by seq desc limit 1',
  )
  const lookOn = db.prepare(
    'update look set to_at = max(to_at, ?) where seq in (select value from json_each(?)) and to_at >= ?',
  )
  const removeFutureLooks = db.prepare(
    'delete from look where seq in (select value from json_each(?)) and from_at > ?',
  )
  const cutFutureLooks = db.prepare(
    'update look set to_at = ? where seq in (select value from json_each(?)) and to_at > ?',
  )
  const lookAnew = db.prepare(
    `insert or ignore into look (seq, from_at, to_at) select value, ?, ? from json_each(?)
     where not exists (select 1 from look where seq = value and to_at >= ?)`,
  )
  const futureObserved = prepareRows(db, 'seq, from_at', 'from observed where to_at > ?')
  const futureEntries = prepareRows(db, 'seq, id, seen_at, tag, entry', 'from history where seen_at > ?')
  const moveEntry = db.prepare('update history set seen_at = ?, tag = ?, entry = ? where seq = ?')
  const removeObserved = db.prepare('delete from observed where seq = ?')
  const lastObserved = prepareRows(db, 'seq, from_at, to_at', 'from observed order by seq desc limit 1')
  const insertObserved = db.prepare('insert into observed (from_at, to_at, tag) values (?, ?, ?)')
  const extendObserved = db.prepare('update observed set to_at = ?, tag = ? where seq = ?')

  const retention = createRetention(db, notes, maxBytes)
  const replicas = createReplicas()
  const waiting = createWaitingEntries(db, notes)
  let begun = false
  let last: number | null = null

  const lastSeq = (): number => (last ??= lastRow<[seq: number]>()[0]?.[0] ?? 0)

  /** `before` is the state before the change, as JSON text, unless it is stored otherwise. */
  function append(key: string, seenAt: number, entry: StoredEntry, before: string | null): void {
    const seq = lastSeq() + 1
    const agedTo = readAgedTo(notes)
    const isBehind = agedTo !== null && seenAt < agedTo
    const text = JSON.stringify(isBehind ? { ...entry, writtenAfter: agedTo } : entry)
    const packed = before === null ? null : pack(before)
    // The identifier is stored in the table and in an index.
    const texts = Buffer.byteLength(text) + 2 * Buffer.byteLength(key)
    const bytes = rowBytes + texts + (packed?.byteLength ?? 0)
    insert.run(seq, key, seenAt, bytes, tagOfEntry(tags, seq, key, seenAt, text), text)
    if (packed) insertEarlier.run(seq, tagOfPacked(tags, seq, key, packed), packed)
    last = seq
    retention.add(bytes)
  }

  function days(): HistoryState['days'] {
    const noted = Number(notes.read(cacheNotes.historyDays))
    return historyDays.find((choice) => choice === noted) ?? defaultHistoryDays
  }

  /** The largest pause between synchronisations that counts as continuous observation. */
  function syncPauseMs(): number {
    const noted = Number(notes.read(cacheNotes.interval) ?? defaultSyncInterval)
    const minutes = syncIntervals.find((interval) => interval === noted) ?? 0
    return pauseMs + 1.5 * minutes * 60_000
  }

  const isLastGone = (key: string): boolean => {
    const [row] = latestOf<[seq: number, seenAt: number, tag: string, text: string]>(key)
    if (!row) return false
    const [seq, seenAt, tag, text] = row
    if (!tags.same(tag, tagOfEntry(tags, seq, key, seenAt, text))) return false
    return (JSON.parse(text) as StoredEntry).changes.at(-1)?.kind === 'gone'
  }

  /**
   * Corrects times from before the system's clock was set back: nobody looked after the start of a synchronisation that
   * has just ended. `span` uses the later of two clocks, so that a slow one doesn't make correct times look like future
   * ones.
   */
  function cutFuture({ sentAt, receivedAt }: Span): void {
    for (const [seq, from] of futureObserved<[seq: number, from: number]>(sentAt + clockWasSetMs)) {
      if (from > sentAt) removeObserved.run(seq)
      else extendObserved.run(sentAt, tags.of('observed', from, sentAt), seq)
    }
    const rows = futureEntries<[seq: number, key: string, seenAt: number, tag: string, text: string]>(
      receivedAt + clockWasSetMs,
    )
    for (const [seq, key, seenAt, tag, text] of rows) {
      // A row that another program changed gets no valid tag.
      if (!tags.same(tag, tagOfEntry(tags, seq, key, seenAt, text))) continue
      const entry = JSON.parse(text) as StoredEntry
      const previousAt = entry.previousAt === null ? null : Math.min(entry.previousAt, sentAt)
      const cut = JSON.stringify({ ...entry, previousAt })
      moveEntry.run(sentAt, tagOfEntry(tags, seq, key, sentAt, cut), cut, seq)
    }
  }

  /** The entry of a change; null if it has no visible difference. */
  function entryOf({ before, now: { key, name, json }, at, by }: SeenChange): WaitingEntry | null {
    const [old, now] = [before.json, json].map((text) => exactly(parseExact(text)).value)
    const found = changesBetween(old, now)
    const back: Change = { kind: 'back', member: null, before: null, after: statusIn(now) }
    const changes = before.wasGone ? [back, ...found.filter(({ kind }) => kind !== 'status')] : found
    if (changes.length === 0) return null
    const entry = { name, by, previousAt: earlier(before.seenAt, at), changes }
    return { key, seenAt: at, entry, before: before.json }
  }

  function appendEntry(made: WaitingEntry | null): void {
    if (made) append(made.key, made.seenAt, made.entry, made.before)
  }

  function note(change: SeenChange): void {
    waiting.drop(change.now.key)
    appendEntry(entryOf(change))
  }

  /** Notes the uncertain changes of a process that ended without closing the cache. */
  function resume(): void {
    for (const one of waiting.takeLeft()) appendEntry(one)
  }

  /** Stores the uncertain change of a deployment, or removes it if there is none. */
  function keepWaiting(key: string): void {
    const change = replicas.waiting(key)
    const made = change ? entryOf(change) : null
    if (made) waiting.keep(made)
    else waiting.drop(key)
  }

  return {
    hasBegun: () => (begun ||= readSince(notes) !== null),

    appeared({ key, name, json }, at, by) {
      const noted = notes.read(cacheNotes.synchronisedAt)
      const change: Change = {
        kind: isLastGone(key) ? 'back' : 'appeared',
        member: null,
        before: null,
        after: statusIn(JSON.parse(json)),
      }
      append(
        key,
        at,
        { name, by, previousAt: noted === null ? null : earlier(Number(noted), at), changes: [change] },
        null,
      )
    },

    changed(change, alike) {
      resume()
      const net = replicas.take(change, alike)
      if (net) note(net)
      else keepWaiting(change.now.key)
    },

    seen(keys, at) {
      resume()
      for (const change of replicas.settled(keys, at)) note(change)
    },

    settle() {
      resume()
      for (const change of replicas.rest()) note(change)
    },

    waiting: waiting.all,

    gone({ key, name, json }, seenAt, at) {
      resume()
      for (const change of replicas.rest([key])) note(change)
      const change: Change = { kind: 'gone', member: null, before: statusIn(JSON.parse(json)), after: null }
      append(key, at, { name, by: 'sync', previousAt: earlier(seenAt, at), changes: [change] }, json)
    },

    looked(rows, at) {
      const list = JSON.stringify(rows)
      removeFutureLooks.run(list, at + clockWasSetMs)
      cutFutureLooks.run(at, list, at + clockWasSetMs)
      lookOn.run(at, list, at - pauseMs)
      lookAnew.run(at, at, list, at - pauseMs)
    },

    synchronised(span, complete, servedAt) {
      const { sentAt, receivedAt } = span
      const behindMs = servedAt === null ? 0 : Math.max(0, servedAt - receivedAt)
      const latest = { sentAt: sentAt + behindMs, receivedAt: receivedAt + behindMs }
      const since = readSince(notes)
      if (since === null) notes.write(sinceNote, complete ? String(receivedAt) : notYet)
      else if (since > latest.receivedAt && servedAt !== null) {
        notes.write(sinceNote, String(latest.receivedAt))
      } else if (notes.read(sinceNote) === null) notes.write(sinceNote, String(since))
      if (servedAt !== null) cutFuture(latest)
      if (complete) {
        const [before] = lastObserved<[seq: number, from: number, to: number]>()
        if (before && sentAt >= before[1] && sentAt - before[2] <= syncPauseMs()) {
          const [seq, from, to] = before
          const end = Math.max(to, receivedAt)
          extendObserved.run(end, tags.of('observed', from, end), seq)
        } else {
          insertObserved.run(sentAt, receivedAt, tags.of('observed', sentAt, receivedAt))
        }
      }
      if (servedAt !== null) {
        const at = Math.min(receivedAt, servedAt)
        if (readAgedTo(notes) === null) notes.write(unconfirmedNote, JSON.stringify({ seq: lastSeq(), at }))
        notes.write(agedToNote, String(at))
      }
      notes.write(cacheNotes.synchronisedAt, String(receivedAt))
    },

    days,

    tidy() {
      const agedTo = readAgedTo(notes)
      if (agedTo !== null) retention.removeOlder(agedTo - days() * dayMs)
      retention.trim()
    },

    size: retention.size,

    since(now) {
      const noted = readSince(notes)
      return noted === null ? null : Math.max(noted, now - days() * dayMs)
    },

    last: lastSeq,

    undone() {
      last = null
      retention.undone()
      replicas.rest()
      waiting.undone()
    },
  }
}
