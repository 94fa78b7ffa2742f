import type { DeploymentSummary, ListedDeployment } from '../deployment'
import { shortText } from '../list'
import { withoutUrlCredentials } from './secret-values'

/**
 * A deployment's row. Long texts are cut, so that a thousand rows stay small. Free of schemas, because the first screen
 * loads it.
 */
export const summarise = (deployment: ListedDeployment): DeploymentSummary => rowOf(deployment, shortText)

/** A deployment's row with its texts in full. */
export const summariseInFull = (deployment: ListedDeployment): DeploymentSummary =>
  rowOf(deployment, (text) => text)

function rowOf(
  deployment: ListedDeployment,
  short: <Text extends string | null>(text: Text) => Text | string,
): DeploymentSummary {
  const { source_config, source_revision_config } = deployment
  return {
    id: deployment.id,
    name: short(deployment.name),
    source: short(deployment.source),
    status: short(deployment.status),
    repo_url: short(withoutUserInfo(source_config.repo_url)),
    repo_ref: short(source_revision_config.repo_ref),
    image_uri: short(withoutUserInfo(source_revision_config.image_uri)),
    source_tarball_path: short(source_revision_config.source_tarball_path),
    integration_id: short(source_config.integration_id),
    latest_revision_id: short(deployment.latest_revision_id),
    active_revision_id: short(deployment.active_revision_id),
    image_version: short(deployment.image_version),
    created_at: short(deployment.created_at),
    updated_at: short(deployment.updated_at),
  }
}

const withoutUserInfo = (address: string | null): string | null => address && withoutUrlCredentials(address)
