import type { Transaction } from 'kysely'
import { type RevisionStatus, revisionSteps as steps } from '../api/revision-statuses'
import type { SourceRevisionConfigAnswer } from '../api/schemas'
import type { Database } from './database'
import { mostBytesAtOnce, type Target } from './deployments'
import type { Tables } from './tables'
import { isoOf, isPending, isThere } from './times'

/** A revision at a time. */
export interface Revision {
  id: string
  status: RevisionStatus
  /** Why its build failed; null if it didn't. */
  statusMessage: string | null
  createdAt: string
  updatedAt: string
  /** When its build starts and when it ends, in milliseconds; null if it has always existed. */
  startsAt: number | null
  endsAt: number | null
  /** Its source_revision_config (JSON text). */
  config: string
}

/** A revision of a page. */
export interface FoundRevision extends Omit<Revision, 'config'> {
  /** The key of its deployment in the database. */
  sequence: number
  /** The size of its source_revision_config, in bytes. */
  bytes: number
  /** Null if it is too large to be read together with the whole page. */
  config: string | null
}

/** The times of a revision, to be written. */
export interface RevisionTimes {
  id: string
  startsAt: number
  endsAt: number
  /** When it was interrupted, in milliseconds; null if it wasn't. */
  interruptedAt: number | null
}

/** A revision that is queued or rolling out. */
export type PendingRevision = Pick<RevisionTimes, 'id' | 'startsAt' | 'endsAt'>

/** A revision to be added. It is the newest of its deployment. */
export interface NewRevision extends RevisionTimes {
  config: SourceRevisionConfigAnswer
}

/** The position of a page in the list of a deployment's revisions. No statuses means any. */
export interface RevisionQuery {
  limit: number
  offset: number
  statuses: readonly RevisionStatus[]
}

type TimesRow = Pick<
  Tables['revisions'],
  'id' | 'created_at' | 'starts_at' | 'ends_at' | 'interrupted_at' | 'status_message'
>

const columns = ['id', 'created_at', 'starts_at', 'ends_at', 'interrupted_at', 'status_message'] as const

/** The statements about revisions. */
export function revisionTable({ read }: Database) {
  /** The configs of some revisions of a deployment. */
  async function configsOf(sequence: number, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await read((database) =>
      database
        .selectFrom('revisions')
        .select(['id', 'source_revision_config'])
        .where('deployment_sequence', '=', sequence)
        .where('id', 'in', ids)
        .execute(),
    )
    return new Map(rows.map((row) => [row.id, row.source_revision_config]))
  }

  return {
    /** Revisions of a deployment at `now` (milliseconds), the newest first. */
    async find({ id, tenantId }: Target, query: RevisionQuery, now: number): Promise<FoundRevision[]> {
      const rows = await read((database) =>
        database
          .selectFrom('revisions')
          .innerJoin('deployments', 'deployments.sequence', 'revisions.deployment_sequence')
          .select(columns.map((column) => `revisions.${column}` as const))
          .select((select) => [
            'revisions.deployment_sequence as sequence',
            select.fn<number>('octet_length', ['source_revision_config']).as('bytes'),
          ])
          .where('deployments.id', '=', id.toLowerCase())
          .where('deployments.tenant_id', '=', tenantId)
          .where(isThere(now))
          .orderBy('revisions.number', 'desc')
          .execute(),
      )
      // Their status isn't stored: it follows from their times.
      const found = rows
        .map((row) => ({ ...revisionAt(row, now), sequence: row.sequence, bytes: row.bytes }))
        .filter(({ status }) => query.statuses.length === 0 || query.statuses.includes(status))
        .slice(query.offset, query.offset + query.limit)
      const most = mostBytesAtOnce / query.limit
      const small = found.filter((revision) => revision.bytes <= most)
      const configs =
        small.length === 0
          ? new Map<string, string>()
          : await configsOf(
              small[0]!.sequence,
              small.map((one) => one.id),
            )
      return found.map((revision) => ({ ...revision, config: configs.get(revision.id) ?? null }))
    },

    /** The same revisions with all configs, without those that are gone by now. */
    async complete(found: readonly FoundRevision[]): Promise<Revision[]> {
      const configs = await configsOf(
        found[0]!.sequence,
        found.map(({ id }) => id),
      )
      return found.flatMap((revision) => {
        const config = configs.get(revision.id)
        return config === undefined ? [] : [{ ...revision, config }]
      })
    },

    /** A revision of a deployment at `now` (milliseconds); null if there is none. */
    async get({ id, tenantId }: Target, revisionId: string, now: number): Promise<Revision | null> {
      const row = await read((database) =>
        database
          .selectFrom('revisions')
          .innerJoin('deployments', 'deployments.sequence', 'revisions.deployment_sequence')
          .select(columns.map((column) => `revisions.${column}` as const))
          .select('source_revision_config as config')
          .where('deployments.id', '=', id.toLowerCase())
          .where('deployments.tenant_id', '=', tenantId)
          .where(isThere(now))
          .where('revisions.id', '=', revisionId.toLowerCase())
          .executeTakeFirst(),
      )
      return row === undefined ? null : { ...revisionAt(row, now), config: row.config }
    },

    /** A revision of a deployment that is being changed; null if there is none. */
    async ofHeld(
      transaction: Transaction<Tables>,
      sequence: number,
      id: string,
      now: number,
    ): Promise<Revision | null> {
      const row = await transaction
        .selectFrom('revisions')
        .select([...columns, 'source_revision_config as config'])
        .where('deployment_sequence', '=', sequence)
        .where('id', '=', id.toLowerCase())
        .executeTakeFirst()
      return row === undefined ? null : { ...revisionAt(row, now), config: row.config }
    },

    /** The revisions of a deployment that are queued or rolling out, the oldest first. */
    async pending(
      transaction: Transaction<Tables>,
      sequence: number,
      now: number,
    ): Promise<PendingRevision[]> {
      const rows = await transaction
        .selectFrom('revisions')
        .select(['id', 'starts_at', 'ends_at'])
        .where('deployment_sequence', '=', sequence)
        .where(isPending(now))
        .orderBy('number')
        .execute()
      return rows.map(({ id, starts_at, ends_at }) => ({ id, startsAt: starts_at!, endsAt: ends_at! }))
    },

    /** Adds the newest revision of a deployment, created at `now` (milliseconds). */
    async add(
      transaction: Transaction<Tables>,
      sequence: number,
      revision: NewRevision,
      now: number,
    ): Promise<void> {
      const { last } = await transaction
        .selectFrom('revisions')
        .select(({ fn }) => fn.max('number').as('last'))
        .where('deployment_sequence', '=', sequence)
        .executeTakeFirstOrThrow()
      const { id, config } = revision
      await transaction
        .insertInto('revisions')
        .values({
          ...timesOf(revision),
          deployment_sequence: sequence,
          id,
          number: Number(last ?? 0) + 1,
          created_at: now,
          status_message: null,
          source_revision_config: JSON.stringify(config),
        })
        .execute()
    },

    /** Changes the times of a deployment's revision. */
    async move(transaction: Transaction<Tables>, sequence: number, revision: RevisionTimes): Promise<void> {
      await transaction
        .updateTable('revisions')
        .set(timesOf(revision))
        .where('deployment_sequence', '=', sequence)
        .where('id', '=', revision.id)
        .execute()
    },
  }
}

const timesOf = ({ startsAt, endsAt, interruptedAt }: RevisionTimes) => ({
  starts_at: startsAt,
  ends_at: endsAt,
  interrupted_at: interruptedAt,
})

/**
 * A revision at `now` (milliseconds), without its config. Its status follows from when it starts and ends, which is known
 * once it is created: nothing is written while it is built and deployed, and no instance takes over another's work.
 */
export function revisionAt(row: TimesRow, now: number): Omit<Revision, 'config'> {
  const [status, since] = statusAt(row, now)
  return {
    id: row.id,
    status,
    statusMessage: status === 'BUILD_FAILED' ? row.status_message : null,
    createdAt: isoOf(row.created_at),
    updatedAt: isoOf(since ?? row.created_at),
    startsAt: row.starts_at,
    endsAt: row.ends_at,
  }
}

/** The status of a revision, and since when it has had it, in milliseconds; null if from the beginning. */
function statusAt(row: TimesRow, now: number): [RevisionStatus, number | null] {
  const { starts_at: start, ends_at: end, interrupted_at: interrupted, status_message: failure } = row
  if (interrupted !== null) return ['INTERRUPTED', interrupted]
  const last = failure === null ? 'DEPLOYED' : 'BUILD_FAILED'
  if (start === null || end === null) return [last, null]
  if (end <= now) return [last, end]
  if (start > now) return ['QUEUED', null]
  const step = Math.floor(((now - start) / (end - start)) * steps.length)
  return [steps[step]!, Math.floor(start + ((end - start) * step) / steps.length)]
}
