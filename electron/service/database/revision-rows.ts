import type { RevisionStatus } from '../api/revision-statuses'
import type { Revision } from './store'

/** A row of a revision at a time, as both databases give it. PostgreSQL gives large numbers as texts. */
export interface RevisionRow {
  id: string
  status: RevisionStatus
  created_at: string | Date
  starts_at: number | string | null
  ends_at: number | string | null
  /** Since when it has its status, in milliseconds; null if since the beginning. */
  since: number | string | null
  config: string
}

/** A row as a store gives it. */
export function revisionOf(row: RevisionRow): Revision {
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
