import type { DeploymentSummary } from '@contract'
import { shortRevision } from '@domain/labels/revisions'

/** The latest revision, shortened, and whether it is still rolling out. */
export interface RevisionLabel {
  short: string | null
  rollingOut: boolean
  full: string
}

/** Where the latest and the active revision differ, the latest is rolling out. */
export function revisionLabel({
  latest_revision_id: latest,
  active_revision_id: active,
}: Pick<DeploymentSummary, 'latest_revision_id' | 'active_revision_id'>): RevisionLabel {
  if (latest === null) {
    const full = active === null ? 'There is no revision yet.' : `Active revision ${active}`
    return { short: active === null ? null : shortRevision(active), rollingOut: false, full }
  }
  const rollingOut = latest !== active
  return {
    short: shortRevision(latest),
    rollingOut,
    full: rollingOut
      ? `Latest revision ${latest}, active ${active ?? 'none yet'}`
      : `Revision ${latest}, latest and active`,
  }
}
