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
