import { shortText } from '@contract'
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

type Members = Record<string, unknown>

/** If more members changed, a change of configuration names none of them. */
const maxMembers = 20

/** The longest path of a member that is shown, in characters. */
const longestPath = 2_000

/** The members that make up a deployment's configuration. Others, such as `updated_at`, change by themselves. */
const configuration = ['name', 'source', 'image_version', 'source_config', 'source_revision_config'] as const

/**
 * The differences between two answers about a deployment, both without values of secrets.
 *
 * Services write the same value in different ways. So a missing member and an empty text count as null, and the order
 * of members doesn't matter, nor that of lists whose items have names, except init containers.
 */
export function changesBetween(before: unknown, after: unknown): Change[] {
  const [old, now] = [membersOf(before), membersOf(after)]
  return [
    ...ofText('status', statusOf(old), statusOf(now)),
    ...ofText('latest-revision', textOf(old.latest_revision_id), textOf(now.latest_revision_id)),
    ...ofText('active-revision', textOf(old.active_revision_id), textOf(now.active_revision_id)),
    ...ofConfiguration(old, now),
    ...ofSecretNames(secretNames(old), secretNames(now)),
  ]
}

/** The status of a deployment in an answer, as lists read it. */
const statusIn = (deployment: unknown): string => shortText(statusOf(membersOf(deployment)))

const statusOf = ({ status }: Members): string => (typeof status === 'string' ? status : 'UNKNOWN')

function ofText(kind: Change['kind'], before: string | null, after: string | null): Change[] {
  if (before === after) return []
  return [{ kind, member: null, before: shortText(before), after: shortText(after) }]
}

function ofConfiguration(before: Members, after: Members): Change[] {
  const found: Change[] = []
  for (const name of configuration) {
    const [old, now] = [before[name], after[name]].map(withoutBlanks)
    for (const { path, one, other } of differences(name, old, now)) {
      const listed = found.length < maxMembers
      found.push({
        kind: 'configuration',
        member: listed ? shortText(path) : null,
        before: listed ? shownValue(one) : null,
        after: listed ? shownValue(other) : null,
      })
      if (!listed) return found
    }
  }
  return found
}

interface Difference {
  path: string
  one: unknown
  other: unknown
}

/** The innermost members that differ. One that only one side has counts as a whole. */
function* differences(path: string, one: unknown, other: unknown): Iterable<Difference> {
  const [members, otherMembers] = [asMembers(one), asMembers(other)]
  if (members && otherMembers) {
    yield* eachMember((name) => `${startOf(path)}.${name}`, members, otherMembers)
    return
  }
  const [named, otherNamed] = [byName(one), byName(other)]
  if (named && otherNamed) {
    yield* eachMember((name) => `${startOf(path)}[${name}]`, named, otherNamed)
    if (path.endsWith('.init_containers'))
      yield* ofOrder(path, namesIn(one, otherNamed), namesIn(other, named))
  } else if (!isSame(one, other)) yield { path, one, other }
}

/** Init containers run one after the other, so a change of their order is reported too. */
function* ofOrder(path: string, one: string[], other: string[]): Iterable<Difference> {
  if (one.some((name, index) => name !== other[index])) yield { path, one, other }
}

/** The names of a list's items that others also have, in order. */
const namesIn = (list: unknown, others: Members): string[] =>
  itemsOf(list).flatMap(({ name }) => (typeof name === 'string' && Object.hasOwn(others, name) ? [name] : []))

/** The displayed part of a path: names may be long, and lists deep. */
const startOf = (path: string): string => (path.length > longestPath ? path.slice(0, longestPath) : path)

function* eachMember(pathOf: (name: string) => string, one: Members, other: Members): Iterable<Difference> {
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    yield* differences(pathOf(name), ownMember(one, name), ownMember(other, name))
  }
}

/** Whether two values are the same. Two objects are compared by their members instead. */
function isSame(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other
  return one.length === other.length && one.every((item, index) => none(differences('', item, other[index])))
}

const none = (found: Iterable<unknown>): boolean => found[Symbol.iterator]().next().done === true

/** A value without what is equivalent to something missing; undefined if nothing is left. */
function withoutBlanks(value: unknown): unknown {
  if (value === null || value === '') return undefined
  if (typeof value !== 'object') return value
  if (Array.isArray(value)) {
    const items = value.map(withoutBlanks)
    return items.every((item) => item === undefined) ? undefined : items
  }
  const members = Object.entries(value as Members)
    // An item may be told apart by an empty name.
    .map(([name, member]) => [name, name === 'name' ? (member ?? undefined) : withoutBlanks(member)] as const)
    .filter(([, member]) => member !== undefined)
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

/** The items of a list by name; null unless each item has a name and all names differ. */
function byName(list: unknown): Members | null {
  if (!Array.isArray(list)) return null
  const items = new Map<string, unknown>()
  for (const item of list) {
    if (!isMembers(item) || typeof item.name !== 'string' || items.has(item.name)) return null
    items.set(item.name, item)
  }
  return Object.fromEntries(items)
}

function ofSecretNames(before: Set<string>, after: Set<string>): Change[] {
  const only = (one: Set<string>, other: Set<string>): string | null => {
    const names = [...one].filter((name) => !other.has(name)).sort()
    return names.length === 0 ? null : shortText(names.join(', '))
  }
  const [gone, fresh] = [only(before, after), only(after, before)]
  if (gone === null && fresh === null) return []
  return [{ kind: 'secret-names', member: null, before: gone, after: fresh }]
}

/** The names of secrets, and the targets of references. */
function secretNames({ secrets, secret_references }: Members): Set<string> {
  const names = itemsOf(secrets).map(({ name }) => textOf(name) ?? '')
  const references = itemsOf(secret_references).map(
    ({ name, secret_name, secret_key }) =>
      `${textOf(name) ?? ''} (${textOf(secret_name) ?? ''}/${textOf(secret_key) ?? ''})`,
  )
  return new Set([...names, ...references])
}

const itemsOf = (list: unknown): Members[] => (Array.isArray(list) ? list.filter(isMembers) : [])

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asMembers = (value: unknown): Members | null => (isMembers(value) ? value : null)

const membersOf = (value: unknown): Members => asMembers(value) ?? {}

/** An object's own member: an answer may use any name. */
const ownMember = (holder: Members, name: string): unknown =>
  Object.hasOwn(holder, name) ? holder[name] : undefined

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

function shownValue(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return shortText(typeof value === 'string' ? value : JSON.stringify(value))
}
