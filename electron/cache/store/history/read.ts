import {
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
import { changedDeployments } from '@domain/history/changed-deployments'
import { statusCountsAt } from '@domain/history/status-counts'
import { evenMoments, mergedTimes, pauseMs, type Time, timesUntil } from '@domain/history/times'
import type Database from 'libsql'
import type { Notes } from '../database/notes'
import { isoMoment, prepareRows } from '../database/rows'
import { fromKey, toKey } from '../database/text'
import type { Tags } from '../encryption/keys'
import type { History } from '.'
import { unpack } from './pack'
import { type StoredEntry, tagOfEntry, tagOfPacked } from './stored'

/** How many rows are read for the changes of an environment, to count statuses, and for a deployment's last changes. */
const maxRows = { changes: 10_000, statuses: 50_000, lastChanges: 50 } as const

/** How many times of looking are read. */
const maxTimes = 2_000

type SeenChange = NonNullable<UnsettledDeployment['last_changes']['status']>

/** The changes that the board shows: of a version, which a revision's configuration has, or of a status. */
const isShownChange = ({ kind, member }: StoredEntry['changes'][number]): boolean =>
  kind === 'configuration'
    ? member === null || member.startsWith('source_revision_config')
    : kind !== 'secret-names' && kind !== 'gone'

/** A row of the history that is as it was written. */
interface SoundRow extends StoredEntry {
  seq: number
  key: string
  seenAt: number
}

/** What was known before a point: null if it isn't kept. `seenAt` is when it was last seen, in milliseconds. */
type Earlier = { json: string; seenAt: number } | null

/** A reply, which gets its environment elsewhere. */
type InEnvironment<Reply> = Omit<Reply, 'environmentId'>

/** Reads the past of a cache. What another program changed is left out. */
export interface HistoryReader {
  /** `lastSeenAt` is when an answer last showed the deployment, in milliseconds; null if the cache doesn't have it. */
  deployment: (
    request: DeploymentHistoryRequest,
    lastSeenAt: number | null,
  ) => InEnvironment<DeploymentHistory>
  changes: (request: ChangesRequest) => InEnvironment<EnvironmentChanges>
  statuses: (request: StatusHistoryRequest, now: StatusCounts['counts']) => InEnvironment<StatusHistory>
  /** The last changes of a deployment's status and of its latest revision. */
  lastChanges: (id: string) => UnsettledDeployment['last_changes']
  /** When deployments last changed in what the board shows of them, by identifier. Those that never did are left out. */
  lastShown: (ids: readonly string[]) => Map<string, SeenChange>
  /**
   * What was known of a deployment after a point of its own, or before the first one that is kept if that is 0.
   * Undefined if nothing changed since; null if it isn't kept, or there is no such point.
   */
  earlier: (id: string, point: number) => Earlier | undefined
}

export function createHistoryReader(
  db: Database.Database,
  tags: Tags,
  notes: Notes,
  history: History,
): HistoryReader {
  const columns = 'seq, id, seen_at, tag, entry'
  const rowsOf = prepareRows(db, columns, 'from history where id = ? and seq < ? order by seq desc limit ?')
  const rowsSince = prepareRows(
    db,
    columns,
    'from history where seq > ? and seen_at >= ? order by seq desc limit ?',
  )
  const pointOf = prepareRows(db, 'seq', 'from history where seq = ? and id = ?')
  const newestOf = prepareRows(
    db,
    columns,
    `from history where seq in
     (select max(seq) from history where id in (select value from json_each(?)) group by id)`,
  )
  const nextOf = prepareRows(db, columns, 'from history where id = ? and seq > ? order by seq limit 1')
  const tagOf = prepareRows(db, 'tag', 'from earlier where seq = ?')
  const contentOf = db.prepare('select cast(content as blob) as content from earlier where seq = ?')
  const observedSince = prepareRows(
    db,
    'from_at, to_at, tag',
    'from observed where to_at >= ? order by seq desc limit ?',
  )
  const looksAt = prepareRows(
    db,
    'l.from_at, l.to_at',
    `from look as l join copy as c on c.seq = l.seq where c.id = ? order by l.from_at desc limit ?`,
  )

  type Row = [seq: number, key: string, seenAt: number, tag: string, text: string]

  const sound = (rows: Row[]): SoundRow[] =>
    rows.flatMap(([seq, key, seenAt, tag, text]) =>
      tags.same(tag, tagOfEntry(tags, seq, key, seenAt, text))
        ? [withPlace(JSON.parse(text) as StoredEntry, seq, key, seenAt)]
        : [],
    )

  const environmentTimes = (since: number): Time[] =>
    observedSince<[from: number, to: number, tag: string]>(since, maxTimes)
      .filter(([from, to, tag]) => tags.same(tag, tags.of('observed', from, to)))
      .map(([from, to]) => ({ from, to }))

  const since = (): string | null => isoMoment(history.since(Date.now()))

  return {
    deployment({ id, before, limit }, lastSeenAt) {
      const key = toKey(id)
      const rows = rowsOf<Row>(key, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
      const shown = sound(rows.slice(0, limit))
      const more = rows.length > limit
      const looks = looksAt<[from: number, to: number]>(key, maxTimes).map(([from, to]) => ({ from, to }))
      const moments = [
        ...shown.flatMap(({ seenAt, previousAt }) => (previousAt === null ? [seenAt] : [seenAt, previousAt])),
        ...(lastSeenAt === null ? [] : [lastSeenAt]),
      ].map((at) => ({ from: at, to: at }))
      // Of a deployment that is new since, nothing was to be seen before.
      const oldest = shown.at(-1)
      const isWhole = oldest?.changes[0]?.kind === 'appeared'
      const from = oldest && (more || isWhole) ? oldest.seenAt : 0
      const times = [...environmentTimes(from), ...looks, ...moments]
        .filter(({ to }) => to >= from)
        .map((time) => ({ from: Math.max(time.from, from), to: time.to }))
      return {
        entries: shown.flatMap(entriesOf),
        more,
        observed: observedOf(times, pauseMs),
        since: since(),
      }
    },

    changes({ since: from, after, limit }) {
      const start = from === null ? 0 : Date.parse(from)
      const rows = rowsSince<Row>(after ?? 0, start, maxRows.changes + 1)
      const entries = sound(rows.slice(0, maxRows.changes)).flatMap(entriesOf)
      const deployments = changedDeployments(entries, historyLimits.entriesEach)
      return {
        deployments: deployments.slice(0, limit),
        total: deployments.length,
        cut: rows.length > maxRows.changes,
        observed: observedOf(environmentTimes(start), 0),
        since: since(),
        history: notes.read(identityNote) ?? '',
        last: history.last(),
      }
    },

    statuses({ since: asked, moments }, now) {
      const end = Date.now()
      const kept = history.since(end)
      if (kept === null) return { moments: [], observed: [], since: null }
      const rows = rowsSince<Row>(0, Math.max(Date.parse(asked), kept), maxRows.statuses)
      const seen = sound(rows)
      const known = rows.length < maxRows.statuses ? kept : (seen.at(-1)?.seenAt ?? end)
      const from = Math.min(Math.max(Date.parse(asked), known), end)
      const at = evenMoments({ from, to: end }, moments)
      const counts = statusCountsAt(new Map(now.map(({ status, count }) => [status, count])), seen, at)
      return {
        moments: counts.map((count, index) => ({
          at: iso(at[index] ?? end),
          counts: [...count].map(([status, number]) => ({ status, count: number })),
        })),
        observed: observedOf(environmentTimes(from), 0),
        since: iso(known),
      }
    },

    lastChanges(id) {
      const rows = rowsOf<Row>(toKey(id), Number.MAX_SAFE_INTEGER, maxRows.lastChanges)
      const entries = sound(rows).flatMap(entriesOf)
      const last = (...kinds: HistoryEntry['kind'][]): SeenChange | null => {
        const found = entries.find(({ kind }) => kinds.includes(kind))
        return found ? { seenAt: found.seenAt, previousAt: found.previousAt } : null
      }
      return {
        status: last('status', 'appeared', 'back'),
        revision: last('latest-revision', 'appeared', 'back'),
      }
    },

    lastShown(ids) {
      const found = new Map<string, SeenChange>()
      for (const row of newestOf<Row>(JSON.stringify(ids.map(toKey)))) {
        const [seq, key] = row
        const isShown = (one: SoundRow): boolean => one.changes.some(isShownChange)
        const newest =
          sound([row]).find(isShown) ?? sound(rowsOf<Row>(key, seq, maxRows.lastChanges)).find(isShown)
        if (!newest) continue
        const { seenAt, previousAt } = newest
        found.set(fromKey(key), {
          seenAt: iso(seenAt),
          previousAt: previousAt === null ? null : iso(previousAt),
        })
      }
      return found
    },

    earlier(id, point) {
      const key = toKey(id)
      if (point !== 0 && pointOf(point, key).length === 0) return null
      const rows = nextOf<Row>(key, point)
      if (rows.length === 0) return undefined
      const [next] = sound(rows)
      const [row] = next ? tagOf<[tag: string]>(next.seq) : []
      if (!next || !row) return null
      const { content } = contentOf.get(next.seq) as { content: ArrayBuffer }
      const packed = new Uint8Array(content)
      if (!tags.same(row[0], tagOfPacked(tags, next.seq, key, packed))) return null
      return { json: unpack(packed), seenAt: next.previousAt ?? next.seenAt }
    },
  }
}

/** The note that identifies a history. */
export const identityNote = 'history'

// Copying member by member takes less than half the time of spreading, and this is done for every row.
const withPlace = (
  { name, by, previousAt, changes }: StoredEntry,
  seq: number,
  key: string,
  seenAt: number,
): SoundRow => ({ seq, key, seenAt, name, by, previousAt, changes })

function entriesOf({ seq: point, key, seenAt, previousAt, name, by, changes }: SoundRow): HistoryEntry[] {
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

const observedOf = (times: Time[], pauseMs: number): Observed[] =>
  mergedTimes(timesUntil(times, Date.now()), pauseMs).map(({ from, to }) => ({
    from: iso(from),
    to: iso(to),
  }))

const iso = (moment: number): string => new Date(moment).toISOString()
