import {
  type Change,
  type ChangedDeployment,
  type ChangesRequest,
  type DeploymentHistory,
  type DeploymentHistoryRequest,
  type EnvironmentChanges,
  type HistoryEntry,
  historyLimits,
  type Observed,
  type StatusCounts,
  type StatusHistory,
  type StatusHistoryRequest,
  type UnsettledDeployment,
} from '@contract/cache'
import { mergedTimes, pauseMs, type Time } from '@domain/timeline'
import type Database from 'libsql'
import { fromKey, isoMoment, type Notes, prepareRows, toKey } from '../database'
import { type History, iso, type StoredEntry, unpack } from '.'
import { evenMoments, listedStatuses, statusCountsAt } from './status-counts'

/**
 * How many rows are read for the changes of an environment, to count statuses, and for a deployment's last changes,
 * which are usually among its newest rows.
 */
const maxRows = { changes: 10_000, statuses: 50_000, lastChanges: 50, newest: 3 } as const

/**
 * How many characters of rows are read for each of the first two, and for the last changes of several deployments. A row
 * has about 500, but more than 30,000 if a service changes many long texts, and reading all of those would delay the
 * other caches by seconds. A million takes some 25 ms.
 */
const maxCharacters = { view: 5_000_000, lastChanges: 3_000_000 } as const

/** How many rows are read at once, until they have too many characters. */
const rowsAtOnce = 500

/** Of how many deployments the newest rows are read at once, until they have too many characters. */
const newestAtOnce = 50

/** How many observations are read. */
const maxTimes = 2_000

type SeenChange = NonNullable<UnsettledDeployment['last_changes']['status']>

/** Whether the board shows a change: one of a version, which is part of a revision's configuration, or of a status. */
const isShownChange = ({ kind, member }: StoredEntry['changes'][number]): boolean =>
  kind === 'configuration'
    ? member === null || member.startsWith('source_revision_config')
    : kind !== 'secret-names' && kind !== 'gone'

/** A row of the history. */
interface PlacedEntry extends StoredEntry {
  seq: number
  key: string
  seenAt: number
}

/** The state before a point: null if it isn't stored. `seenAt` is when it was last seen, in milliseconds. */
type Earlier = { json: string; seenAt: number } | null

/** Reads the history of a cache. Replies lack their environment, which is added later. */
export function createHistoryReader(db: Database.Database, notes: Notes, history: History) {
  const columns = 'seq, id, seen_at, entry'
  const rowsOf = prepareRows(
    db,
    'seq, seen_at, entry',
    'from history where id = ? and seq < ? order by seq desc limit ?',
  )
  const rowsSince = prepareRows(
    db,
    columns,
    'from history where seq > ? and seq < ? and seen_at >= ? order by seq desc limit ?',
  )
  const pointOf = prepareRows(db, 'seq', 'from history where seq = ? and id = ?')
  const newestOf = prepareRows(
    db,
    columns,
    `from history where seq in
     (select max(seq) from history where id in (select value from json_each(?)) group by id)`,
  )
  const nextOf = prepareRows(db, columns, 'from history where id = ? and seq > ? order by seq limit 1')
  const contentOf = db.prepare('select cast(content as blob) as content from earlier where seq = ?')
  const observedSince = prepareRows(
    db,
    'from_at, to_at',
    'from observed where to_at >= ? order by seq desc limit ?',
  )
  // The last answer that showed it is the one that its cached content came from.
  const looksAt = prepareRows(
    db,
    'from_at, to_at',
    `from (select l.from_at, l.to_at from look as l join copy as c on c.seq = l.seq where c.id = ?1
           order by l.from_at desc limit ?2)
     union all select json_array(received_at, received_at) from copy where id = ?1`,
  )

  type Row = [seq: number, key: string, seenAt: number, text: string]

  const placed = ([seq, key, seenAt, text]: Row): PlacedEntry => ({
    ...(JSON.parse(text) as StoredEntry),
    ...{ seq, key, seenAt },
  })

  /**
   * At most `limit` rows of a deployment before one of them, newest first, whether there are more, and how many
   * characters were read.
   */
  function placedOf(
    key: string,
    before: number,
    limit: number,
  ): { rows: PlacedEntry[]; more: boolean; characters: number } {
    const stored = rowsOf<[seq: number, seenAt: number, text: string]>(key, before, limit + 1)
    const more = stored.length > limit
    if (more) stored.pop()
    const rows: PlacedEntry[] = []
    let characters = 0
    for (const [seq, seenAt, text] of stored) {
      characters += text.length
      rows.push(placed([seq, key, seenAt, text]))
    }
    return { rows, more, characters }
  }

  /** At most `limit` rows after a point that were seen since a time, newest first, and whether there are more. */
  function readSince(after: number, start: number, limit: number): { rows: Row[]; more: boolean } {
    const rows: Row[] = []
    let characters = 0
    for (;;) {
      const found = rowsSince<Row>(after, rows.at(-1)?.[0] ?? Number.MAX_SAFE_INTEGER, start, rowsAtOnce)
      for (const row of found) {
        if (rows.length === limit || characters >= maxCharacters.view) return { rows, more: true }
        characters += row[3].length
        rows.push(row)
      }
      if (found.length < rowsAtOnce) return { rows, more: false }
    }
  }

  /**
   * The last changes in the newest rows of a deployment, and how many characters were read. If those rows don't have
   * both, looks at more.
   */
  function lastChangesOf(
    key: string,
    limit: number,
  ): { last: UnsettledDeployment['last_changes']; characters: number } {
    const { rows, more, characters } = placedOf(key, Number.MAX_SAFE_INTEGER, limit)
    const last = (...kinds: Change['kind'][]): SeenChange | null => {
      const row = rows.find(({ changes }) => changes.some(({ kind }) => kinds.includes(kind)))
      return row ? seenChangeOf(row) : null
    }
    const status = last('status', 'appeared', 'back')
    const revision = last('latest-revision', 'appeared', 'back')
    const isWhole = (status && revision) || !more || limit === maxRows.lastChanges
    return isWhole ? { last: { status, revision }, characters } : lastChangesOf(key, maxRows.lastChanges)
  }

  const environmentTimes = (since: number): Time[] =>
    observedSince<[from: number, to: number]>(since, maxTimes).map(([from, to]) => ({ from, to }))

  const since = (): string | null => isoMoment(history.since(Date.now()))

  return {
    deployment({ id, before, limit }: DeploymentHistoryRequest): Omit<DeploymentHistory, 'environmentId'> {
      const key = toKey(id)
      const { rows: shown, more } = placedOf(key, before ?? Number.MAX_SAFE_INTEGER, limit)
      // A deployment that is newer than this point didn't exist before.
      const oldest = shown.at(-1)
      const isWhole = oldest?.changes[0]?.kind === 'appeared'
      const start = oldest && (more || isWhole) ? oldest.seenAt : 0
      const times = environmentTimes(start)
      for (const [from, to] of looksAt<[from: number, to: number]>(key, maxTimes)) times.push({ from, to })
      for (const { seenAt, previousAt } of shown) {
        times.push({ from: seenAt, to: seenAt })
        if (previousAt !== null) times.push({ from: previousAt, to: previousAt })
      }
      const seen = times.filter(({ to }) => to >= start)
      for (const time of seen) time.from = Math.max(time.from, start)
      return {
        entries: shown.flatMap(entriesOf),
        more,
        observed: observedOf(seen, pauseMs),
        since: since(),
      }
    },

    changes({ since: from, after, limit }: ChangesRequest): Omit<EnvironmentChanges, 'environmentId'> {
      const start = from === null ? 0 : Date.parse(from)
      const { rows, more } = readSince(after ?? 0, start, maxRows.changes)
      const entries = rows.map(placed).flatMap(entriesOf)
      const deployments = changedDeployments(entries, historyLimits.entriesEach)
      return {
        deployments: deployments.slice(0, limit),
        total: deployments.length,
        cut: more,
        observed: observedOf(environmentTimes(start), 0),
        since: since(),
        history: notes.read(identityNote) ?? '',
        last: history.last(),
      }
    },

    statuses(
      { since: requested, moments }: StatusHistoryRequest,
      now: Pick<StatusCounts, 'counts' | 'others'>,
    ): Omit<StatusHistory, 'environmentId'> {
      const end = Date.now()
      const begun = history.since(end)
      if (begun === null) return { moments: [], observed: [], since: null }
      const { rows, more } = readSince(0, Math.max(Date.parse(requested), begun), maxRows.statuses)
      const noted = rows.map(placed)
      const known = more ? (noted.at(-1)?.seenAt ?? end) : begun
      const from = Math.min(Math.max(Date.parse(requested), known), end)
      const at = evenMoments({ from, to: end }, moments)
      const counts = statusCountsAt(now, listedStatuses(now, noted), noted, at)
      return {
        moments: counts.map((count, index) => ({
          at: iso(at[index] ?? end),
          counts: [...count].flatMap(([status, number]) =>
            status === null ? [] : { status, count: number },
          ),
          others: count.get(null) ?? 0,
        })),
        observed: observedOf(environmentTimes(from), 0),
        since: iso(known),
      }
    },

    /**
     * The last changes of each deployment's status and of its latest revision, by identifier. Omits the last deployments
     * if there is too much to read.
     */
    lastChanges(ids: readonly string[]): Map<string, UnsettledDeployment['last_changes']> {
      const found = new Map<string, UnsettledDeployment['last_changes']>()
      let left: number = maxCharacters.lastChanges
      for (const id of ids) {
        if (left <= 0) break
        const { last, characters } = lastChangesOf(toKey(id), maxRows.newest)
        found.set(id, last)
        left -= characters
      }
      return found
    },

    /**
     * When deployments last changed in a way that the board shows, by identifier. Omits those that never did, and the
     * last deployments if there is too much to read.
     */
    lastShown(ids: readonly string[]): Map<string, SeenChange> {
      const found = new Map<string, SeenChange>()
      let left: number = maxCharacters.lastChanges
      const isShown = (one: PlacedEntry): boolean => one.changes.some(isShownChange)
      /** Looks for the change among the rows before the newest one. */
      const earlierShown = (key: string, seq: number): PlacedEntry | undefined => {
        if (left <= 0) return undefined
        const { rows, characters } = placedOf(key, seq, maxRows.lastChanges)
        left -= characters
        return rows.find(isShown)
      }
      for (let start = 0; start < ids.length && left > 0; start += newestAtOnce) {
        const keys = ids.slice(start, start + newestAtOnce).map(toKey)
        for (const row of newestOf<Row>(JSON.stringify(keys))) {
          const [seq, key, , text] = row
          left -= text.length
          const newest = [placed(row)].find(isShown) ?? earlierShown(key, seq)
          if (newest) found.set(fromKey(key), seenChangeOf(newest))
        }
      }
      return found
    },

    /**
     * The state of a deployment after one of its points; 0 stands for the state before the first stored one. Undefined
     * if it hasn't changed since; null if it isn't stored, or there is no such point.
     */
    earlier(id: string, point: number): Earlier | undefined {
      const key = toKey(id)
      if (point !== 0 && pointOf(point, key).length === 0) return null
      const rows = nextOf<Row>(key, point)
      if (rows.length === 0) return undefined
      const next = placed(rows[0]!)
      const packed = contentOf.get(next.seq) as { content: ArrayBuffer } | undefined
      if (!packed) return null
      return { json: unpack(new Uint8Array(packed.content)), seenAt: next.previousAt ?? next.seenAt }
    },
  }
}

/** The note that identifies a history. */
export const identityNote = 'history'

function entriesOf({ seq: point, key, seenAt, previousAt, name, by, changes }: PlacedEntry): HistoryEntry[] {
  const id = fromKey(key)
  const seen = iso(seenAt)
  const previous = previousAt === null ? null : iso(previousAt)
  return changes.map(({ kind, member, before, after }) => ({
    point,
    id,
    name,
    seenAt: seen,
    previousAt: previous,
    by,
    kind,
    member,
    before,
    after,
  }))
}

const seenChangeOf = ({ seenAt, previousAt }: PlacedEntry): SeenChange => ({
  seenAt: iso(seenAt),
  previousAt: previousAt === null ? null : iso(previousAt),
})

const observedOf = (times: Time[], pauseMs: number): Observed[] =>
  mergedTimes(times, pauseMs).map(({ from, to }) => ({
    from: iso(from),
    to: iso(to),
  }))

/**
 * Entries by deployment. The deployment that changed last comes first.
 *
 * @param entries newest first
 * @param maxEach how many entries of each deployment are listed; the older ones are counted
 */
function changedDeployments(entries: readonly HistoryEntry[], maxEach: number): ChangedDeployment[] {
  const found = new Map<string, ChangedDeployment>()
  for (const entry of entries) {
    const { id, name } = entry
    const of = found.get(id) ?? { id, name, entries: [], total: 0 }
    found.set(id, of)
    of.total += 1
    if (of.entries.length < maxEach) of.entries.push(entry)
  }
  return [...found.values()]
}
