import type { RevisionStatus } from '../api/revision-statuses'
import type { FoundRevision, PendingRevision, Revision } from './store'

/** A revision at a time, as a row of either database. PostgreSQL gives large numbers as texts. */
export interface RevisionRow<Config = string> {
  id: string
  status: RevisionStatus
  created_at: string | Date
  starts_at: number | string | null
  ends_at: number | string | null
  /** Since when it has had its status, in milliseconds; null if from the beginning. */
  since: number | string | null
  config: Config
}

/** A row of a page. Its config is null if it is too large to be read with the page. */
export interface FoundRevisionRow extends RevisionRow<string | null> {
  sequence: number | string
  bytes: number
}

/** A row of a revision that is queued or rolling out. */
export interface PendingRow {
  id: string
  starts_at: number | string
  ends_at: number | string
}

/** A row of a config alone. */
export interface ConfigRow {
  id: string
  config: string
}

/** A revision from a row. */
export function revisionOf<Config>(row: RevisionRow<Config>): Omit<Revision, 'config'> & { config: Config } {
  const createdAt = new Date(row.created_at).toISOString()
  return {
    id: row.id,
    status: row.status,
    createdAt,
    updatedAt: row.since === null ? createdAt : new Date(Math.floor(Number(row.since))).toISOString(),
    startsAt: row.starts_at === null ? null : Number(row.starts_at),
    endsAt: row.ends_at === null ? null : Number(row.ends_at),
    config: row.config,
  }
}

/** A revision of a page, from a row. */
export function foundRevisionOf(row: FoundRevisionRow): FoundRevision {
  return { ...revisionOf(row), sequence: Number(row.sequence), bytes: row.bytes }
}

/** A pending revision from a row. */
export function pendingOf({ id, starts_at, ends_at }: PendingRow): PendingRevision {
  return { id, startsAt: Number(starts_at), endsAt: Number(ends_at) }
}

/** Completes revisions of a page with the configs of rows, in the page's order. Leaves out those without a row. */
export function completed(found: readonly FoundRevision[], rows: readonly ConfigRow[]): Revision[] {
  const configs = new Map(rows.map(({ id, config }) => [id, config]))
  return found.flatMap(({ sequence: _, bytes: __, ...revision }) => {
    const config = configs.get(revision.id)
    return config === undefined ? [] : [{ ...revision, config }]
  })
}
