import { isRollingOut, type RolloutMembers } from '@contract/deployment-api/statuses'
import { shortRevision } from '@domain/labels/revisions'

/** The latest revision, shortened, and whether the deployment is rolling out. */
export interface RevisionLabel {
  short: string | null
  rollingOut: boolean
  full: string
}

export function revisionLabel(deployment: RolloutMembers): RevisionLabel {
  const { latest_revision_id: latest, active_revision_id: active } = deployment
  const rollingOut = isRollingOut(deployment)
  if (latest === null) {
    const full = active === null ? 'There is no revision yet.' : `Active revision ${active}`
    return { short: active === null ? null : shortRevision(active), rollingOut, full }
  }
  return {
    short: shortRevision(latest),
    rollingOut,
    full:
      latest === active
        ? `Revision ${latest}, latest and active`
        : `Latest revision ${latest}, active ${active ?? 'none yet'}`,
  }
}
