import type { DeploymentSummary } from '@contract'
import { isUnsettled } from '@contract/deployment-api/statuses'

/** The members of a deployment that tell whether it is rolling out. */
type RolloutMembers = Pick<DeploymentSummary, 'status' | 'latest_revision_id' | 'active_revision_id'> & {
  gone_at?: string | null
}

/** Whether a deployment is rolling out, by the rule of the cache. A deleted one never is. */
export function isRollingOut({
  status,
  latest_revision_id: latest,
  active_revision_id: active,
  gone_at: goneAt,
}: RolloutMembers): boolean {
  if (goneAt || status === 'AWAITING_DELETE') return false
  return isUnsettled(status) || (latest !== null && latest !== active)
}
