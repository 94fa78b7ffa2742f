import type { UnsettledDeployment } from '@contract/cache'
import { readTime } from '@contract/core/time'
import {
  deploymentStatuses,
  isRollingOut,
  type RolloutMembers,
  statusesUnderWay,
} from '@contract/deployment-api/statuses'

/** Why a deployment needs attention. None of these means that it failed: the interface has no status for that. */
export type DeploymentReason = 'rolling-out' | 'awaiting' | 'unknown-status'

/** A deployment that needs attention. Times are ISO 8601. */
export interface DeploymentAttention {
  reason: DeploymentReason
  /** Since when, as far as the service's times and the history say; null if they don't. */
  since: string | null
  /** When it was last seen in this state. */
  seenAt: string
}

/**
 * Whether a deployment needs attention: its status is unknown, or it was rolling out or awaiting something when it was
 * last seen, and had been for longer than `stuckMinutes`. The time since it was last seen doesn't count, because its
 * state may have changed.
 */
export function deploymentAttention(
  deployment: Omit<UnsettledDeployment, 'id' | 'name'>,
  stuckMinutes: number,
): DeploymentAttention | null {
  const reason = reasonOf(deployment)
  if (!reason) return null
  const { status, revision } = deployment.last_changes
  const since = sinceWhen(deployment, reason === 'rolling-out' ? revision : status)
  const seenAt = deployment.fetched_at
  if (reason !== 'unknown-status' && since !== null) {
    const minutes = (Date.parse(seenAt) - Date.parse(since)) / 60_000
    if (!(minutes > stuckMinutes)) return null
  }
  return { reason, since, seenAt }
}

/**
 * Since when a deployment has had its state: its last update by the service, or the first sight of the change,
 * whichever was earlier. An update doesn't count if the deployment was seen after it without the change.
 */
export function sinceWhen(
  { created_at, updated_at }: Pick<UnsettledDeployment, 'created_at' | 'updated_at'>,
  change: UnsettledDeployment['last_changes']['status'],
): string | null {
  const updated = readTime(updated_at) ?? readTime(created_at)
  if (updated === null) return change?.seenAt ?? null
  const isEarlier = change === null || updated <= Date.parse(change.seenAt)
  const isTooEarly = change?.previousAt != null && updated < Date.parse(change.previousAt)
  return change === null || (isEarlier && !isTooEarly) ? new Date(updated).toISOString() : change.seenAt
}

function reasonOf(deployment: RolloutMembers): DeploymentReason | null {
  const { status } = deployment
  if (status === 'UNKNOWN' || !(deploymentStatuses as readonly string[]).includes(status))
    return 'unknown-status'
  if (statusesUnderWay.includes(status)) return 'awaiting'
  return isRollingOut(deployment) ? 'rolling-out' : null
}

/** How the last request to an environment's service ended, and since when (ISO 8601). */
export interface Reach {
  state: 'reached' | 'failing' | 'denied' | 'unreached' | 'unknown'
  /**
   * If `reached`, when it last answered. Otherwise the first in a row of calls with the same end; null if it was never
   * called.
   */
  since: string | null
}

/** A call and how it ended. `at` is when, as an ISO 8601 time. `failing`: the service answered, but with an error. */
export interface Call {
  at: string
  end: 'answered' | 'failing' | 'denied' | 'unreached'
}

/** The reachability of a service according to the known calls, in any order. Calls with invalid times are ignored. */
export function reachOf(calls: readonly Call[]): Reach {
  const known = calls
    .filter(({ at }) => !Number.isNaN(Date.parse(at)))
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
  const [last] = known
  if (!last) return { state: 'unknown', since: null }
  if (last.end === 'answered') return { state: 'reached', since: last.at }
  const other = known.findIndex(({ end }) => end !== last.end)
  const first = known[other === -1 ? known.length - 1 : other - 1]
  return { state: last.end, since: first?.at ?? last.at }
}

/**
 * Since when a cache is older than its interval allows (ISO 8601); null if it isn't. Twice the interval is allowed: a
 * synchronisation only begins at its end, and a cache that is kept up to date must not flicker here.
 *
 * @param synchronisedAt when the last full synchronisation ended (ISO 8601); null if there was none
 * @param intervalMinutes how often it is synchronised; 0 is never, so that every age is allowed
 * @param now milliseconds since 1970
 */
export function overdueSince(
  synchronisedAt: string | null,
  intervalMinutes: number,
  now: number,
): string | null {
  if (synchronisedAt === null || intervalMinutes === 0) return null
  const allowedUntil = Date.parse(synchronisedAt) + 2 * intervalMinutes * 60_000
  return now > allowedUntil ? new Date(allowedUntil).toISOString() : null
}
