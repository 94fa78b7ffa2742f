import { never } from './revision-times'
import type { StoredDeployment } from './store'

/** A revision that a deployment has when it is stored. */
export interface FirstRevision {
  id: string
  /** Its number among the deployment's revisions. */
  number: number
  createdAt: string
  /** When its build starts and when it is deployed, in milliseconds; null if it has always been there. */
  startsAt: number | null
  endsAt: number | null
}

/**
 * The revisions that a deployment has when it is stored, the oldest first: its latest one and, in a sample, one before
 * that is still active. What a sample shows as rolling out never ends.
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
