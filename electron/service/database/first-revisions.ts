import { never } from './revision-times'
import type { StoredDeployment } from './store'

/** A revision of a deployment that is being stored. */
export interface FirstRevision {
  id: string
  /** Its number among the deployment's revisions. */
  number: number
  createdAt: string
  /** When its build starts and when it is deployed, in milliseconds; null if it has always existed. */
  startsAt: number | null
  endsAt: number | null
}

/**
 * The revisions of a deployment that is being stored, the oldest first: the latest one and, in a sample, an earlier one
 * that is still active. A sample's rollouts never end.
 */
export function firstRevisions({
  answer,
  readyAt,
}: Pick<StoredDeployment, 'answer' | 'readyAt'>): FirstRevision[] {
  const { latest_revision_id: latest, active_revision_id: active, created_at, updated_at } = answer
  const always = { startsAt: null, endsAt: null }
  const revisions: FirstRevision[] = []
  if (active !== null && active !== latest) {
    revisions.push({ id: active, number: 0, createdAt: created_at, ...always })
  }
  if (latest === null) return revisions
  const times =
    readyAt !== null
      ? { startsAt: Date.parse(created_at), endsAt: Date.parse(readyAt) }
      : active === latest
        ? always
        : { startsAt: never, endsAt: never }
  return [...revisions, { id: latest, number: 1, createdAt: updated_at, ...times }]
}
