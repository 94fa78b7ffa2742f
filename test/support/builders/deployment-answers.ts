import type { Deployment, DeploymentDetail, DeploymentPage, DeploymentSummary } from '@contract'

const fetchedAt = '2026-11-21T00:00:00.000Z'

/** The only page of the list in environment "a", with these deployments. */
export const deploymentPage = (
  deployments: DeploymentSummary[],
  more: Partial<DeploymentPage> = {},
): DeploymentPage => ({
  environmentId: 'a',
  offset: 0,
  received: deployments.length,
  deployments,
  unreadable: [],
  nextOffset: null,
  end: 'short',
  fetchedAt,
  ...more,
})

/** A deployment as environment "a" has answered it. */
export const deploymentDetail = (
  deployment: Deployment,
  more: Partial<DeploymentDetail> = {},
): DeploymentDetail => ({
  environmentId: 'a',
  deployment,
  json: '{}',
  shortened: false,
  fetchedAt,
  ...more,
})

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
