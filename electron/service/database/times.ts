import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Tables } from './tables'

/** How long a deleted deployment keeps its place in the list, in milliseconds: longer than it takes to page through it. */
export const placeKeptMs = 3_600_000

/** The start and the end of a revision that stays queued: the last millisecond whose year has four digits. */
export const never = 253_402_300_799_999

export const isoOf = (ms: number): string => new Date(ms).toISOString()

/** Whether a deployment's next revision has ended at `now` (milliseconds), so that its revisions tell its state. */
export const isDue = (now: number): RawBuilder<boolean> => sql<boolean>`ready_at <= ${now}`

/** Whether a deployment is there at `now` (milliseconds). */
export const isThere = (now: number): RawBuilder<boolean> =>
  sql<boolean>`(gone_at is null or gone_at > ${now})`

/** Whether a revision was deployed after its creation here. */
const isDeployed = (now: number): RawBuilder<boolean> =>
  sql<boolean>`(interrupted_at is null and status_message is null and ends_at <= ${now})`

/** Whether a revision is rolling out, or queued and will start. */
export const isPending = (now: number): RawBuilder<boolean> =>
  sql<boolean>`(interrupted_at is null and ends_at > ${now} and ends_at < ${never})`

/** A deployment's state at a time. */
export interface StateNow {
  status_now: string
  updated_now: number
  active_now: string | null
}

/** The columns of a deployment's state at `now` (milliseconds). */
export function stateAt(query: ExpressionBuilder<Tables, 'deployments'>, now: number) {
  const ofDeployed = (column: 'ends_at' | 'id') =>
    query
      .selectFrom('revisions')
      .select(column)
      .whereRef('revisions.deployment_sequence', '=', 'deployments.sequence')
      .where(isDeployed(now))
      .orderBy('revisions.number', 'desc')
      .limit(1)
  return [
    sql<string>`case when ${isDue(now)} then 'READY' else status end`.as('status_now'),
    sql<number>`case when ${isDue(now)} then coalesce(${ofDeployed('ends_at')}, ready_at) else updated_at end`.as(
      'updated_now',
    ),
    sql<
      string | null
    >`case when ${isDue(now)} then coalesce(${ofDeployed('id')}, latest_revision_id) else active_revision_id end`.as(
      'active_now',
    ),
  ] as const
}
