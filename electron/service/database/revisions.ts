import { type Kysely, type NotNull, sql, type Transaction } from 'kysely'
import { type RevisionStatus, revisionSteps as steps } from '../api/life-schemas'
import type { SourceRevisionConfigAnswer } from '../api/schemas'
import type { Database } from './database'
import type { Target } from './deployments'
import type { Tables } from './tables'
import { isoOf, isPending, isThere } from './times'

type Row = Tables['revisions']

const columns = ['id', 'created_at', 'starts_at', 'ends_at', 'interrupted_at', 'status_message'] as const

/** A revision at a time, without its config. */
export interface Revision extends Pick<Row, 'id' | 'starts_at' | 'ends_at'> {
  status: RevisionStatus
  /** Why its build failed; null if it didn't. */
  status_message: string | null
  /** When it was created, and since when it has had its status (ISO 8601). */
  created_at: string
  updated_at: string
}

/** A revision with its source_revision_config (JSON text). */
export type WholeRevision = Revision & { config: string }

/** A revision of a page, with the key of its deployment in the database and the size of its config in bytes. */
export type FoundRevision = Revision & { sequence: number; bytes: number }

/** The times of a revision, to be written. */
export type RevisionTimes = Pick<Row, 'id' | 'starts_at' | 'ends_at' | 'interrupted_at'>

/** A revision that is queued or rolling out. */
export type PendingRevision = Pick<Row, 'id'> & { starts_at: number; ends_at: number }

/** The position of a page in the list of a deployment's revisions. No statuses means any. */
export interface RevisionQuery {
  limit: number
  offset: number
  statuses: readonly RevisionStatus[]
}

/** The statements about revisions. */
export function revisionTable({ read }: Database) {
  /** The revisions of a deployment that is there at `now`. */
  const ofTarget = (database: Kysely<Tables>, { id, tenantId }: Target, now: number) =>
    database
      .selectFrom('revisions')
      .innerJoin('deployments', 'deployments.sequence', 'revisions.deployment_sequence')
      .select(columns.map((column) => `revisions.${column}` as const))
      .where('deployments.id', '=', id.toLowerCase())
      .where('deployments.tenant_id', '=', tenantId)
      .where(isThere(now))

  return {
    /** Revisions of a deployment at `now` (milliseconds), the newest first. */
    async find(target: Target, query: RevisionQuery, now: number): Promise<FoundRevision[]> {
      const rows = await read((database) =>
        ofTarget(database, target, now)
          .select([
            'revisions.deployment_sequence as sequence',
            sql<number>`octet_length(source_revision_config)`.as('bytes'),
          ])
          .orderBy('revisions.number', 'desc')
          .execute(),
      )
      // Their status isn't stored: it follows from their times.
      return rows
        .map((row) => ({ ...revisionAt(row, now), sequence: row.sequence, bytes: row.bytes }))
        .filter(({ status }) => query.statuses.length === 0 || query.statuses.includes(status))
        .slice(query.offset, query.offset + query.limit)
    },

    /** Revisions of one deployment with their configs, without those that are gone by now. */
    async complete(found: readonly FoundRevision[]): Promise<WholeRevision[]> {
      if (found.length === 0) return []
      const ids = found.map(({ id }) => id)
      const rows = await read((database) =>
        database
          .selectFrom('revisions')
          .select(['id', 'source_revision_config'])
          .where('deployment_sequence', '=', found[0]!.sequence)
          .where('id', 'in', ids)
          .execute(),
      )
      const configs = new Map(rows.map((row) => [row.id, row.source_revision_config]))
      return found.flatMap((revision) => {
        const config = configs.get(revision.id)
        return config === undefined ? [] : [{ ...revision, config }]
      })
    },

    /** A revision of a deployment at `now` (milliseconds); null if there is none. */
    async get(
      target: Target,
      id: string,
      now: number,
      database?: Kysely<Tables>,
    ): Promise<WholeRevision | null> {
      const find = (from: Kysely<Tables>) =>
        ofTarget(from, target, now)
          .select('source_revision_config as config')
          .where('revisions.id', '=', id.toLowerCase())
          .executeTakeFirst()
      const row = await (database ? find(database) : read(find))
      return row === undefined ? null : { ...revisionAt(row, now), config: row.config }
    },

    /** The revisions of a deployment that are queued or rolling out, the oldest first. */
    pending: (transaction: Transaction<Tables>, sequence: number, now: number): Promise<PendingRevision[]> =>
      transaction
        .selectFrom('revisions')
        .select(['id', 'starts_at', 'ends_at'])
        .where('deployment_sequence', '=', sequence)
        .where(isPending(now))
        .orderBy('number')
        .$narrowType<{ starts_at: NotNull; ends_at: NotNull }>()
        .execute(),

    /** Adds the newest revision of a deployment, created at `now` (milliseconds). */
    async add(
      transaction: Transaction<Tables>,
      sequence: number,
      revision: RevisionTimes,
      config: SourceRevisionConfigAnswer,
      now: number,
    ): Promise<void> {
      const { last } = await transaction
        .selectFrom('revisions')
        .select(({ fn }) => fn.max('number').as('last'))
        .where('deployment_sequence', '=', sequence)
        .executeTakeFirstOrThrow()
      await transaction
        .insertInto('revisions')
        .values({
          ...revision,
          deployment_sequence: sequence,
          number: Number(last ?? 0) + 1,
          created_at: now,
          status_message: null,
          source_revision_config: JSON.stringify(config),
        })
        .execute()
    },

    /** Changes the times of a deployment's revision. */
    async move(
      transaction: Transaction<Tables>,
      sequence: number,
      { id, ...times }: RevisionTimes,
    ): Promise<void> {
      await transaction
        .updateTable('revisions')
        .set(times)
        .where('deployment_sequence', '=', sequence)
        .where('id', '=', id)
        .execute()
    },
  }
}

/**
 * A revision at `now` (milliseconds), without its config. Its status follows from when it starts and ends, which is known
 * once it is created: nothing is written while it is built and deployed, and no instance takes over another's work.
 */
export function revisionAt(row: Pick<Row, (typeof columns)[number]>, now: number): Revision {
  const [status, since] = statusAt(row, now)
  return {
    id: row.id,
    starts_at: row.starts_at,
    ends_at: row.ends_at,
    status,
    status_message: status === 'BUILD_FAILED' ? row.status_message : null,
    created_at: isoOf(row.created_at),
    updated_at: isoOf(since ?? row.created_at),
  }
}

/** The status of a revision, and since when it has had it, in milliseconds; null if from the beginning. */
function statusAt(row: Parameters<typeof revisionAt>[0], now: number): [RevisionStatus, number | null] {
  const { starts_at: start, ends_at: end, interrupted_at: interrupted, status_message: failure } = row
  if (interrupted !== null) return ['INTERRUPTED', interrupted]
  const last = failure === null ? 'DEPLOYED' : 'BUILD_FAILED'
  if (start === null || end === null) return [last, null]
  if (end <= now) return [last, end]
  if (start > now) return ['QUEUED', null]
  const step = Math.floor(((now - start) / (end - start)) * steps.length)
  return [steps[step]!, Math.floor(start + ((end - start) * step) / steps.length)]
}
