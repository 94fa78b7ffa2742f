import { isRollingOut, type RolloutMembers } from '@contract/deployment-api/statuses'
import type { FailedRevision } from '@contract/life/revisions'
import { shortRevision } from '@domain/labels/revisions'

/** The latest revision, shortened, and what is to be said of its roll-out. */
export interface RevisionLabel {
  short: string | null
  rollout: 'failed' | 'rolling out' | null
  full: string
}

/** @param failed the latest revision, if it is known to have failed: then nothing is rolling out */
export function revisionLabel(
  deployment: RolloutMembers,
  failed: FailedRevision | null = null,
): RevisionLabel {
  const { latest_revision_id: latest, active_revision_id: active } = deployment
  const rollout = failed ? 'failed' : isRollingOut(deployment) ? 'rolling out' : null
  if (latest === null) {
    const full = active === null ? 'There is no revision yet.' : `Active revision ${active}`
    return { short: active === null ? null : shortRevision(active), rollout, full }
  }
  return {
    short: shortRevision(latest),
    rollout,
    full:
      latest === active
        ? `Revision ${latest}, latest and active`
        : `Latest revision ${latest}, active ${active ?? 'none yet'}${failed?.message ? `: ${failed.message}` : ''}`,
  }
}
