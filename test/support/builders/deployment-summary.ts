import type { DeploymentSummary } from '@contract'

/** A deployment as the list shows it. */
export function summaryOf(id: string, more: Partial<DeploymentSummary> = {}): DeploymentSummary {
  return {
    id,
    name: `name of ${id}`,
    source: 'repohost',
    status: 'READY',
    repo_url: null,
    repo_ref: null,
    image_uri: null,
    source_tarball_path: null,
    integration_id: null,
    latest_revision_id: null,
    active_revision_id: null,
    image_version: null,
    created_at: null,
    updated_at: null,
    ...more,
  }
}
