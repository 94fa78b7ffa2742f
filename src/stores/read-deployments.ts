import type { Deployment, DeploymentSummary } from '@contract'
import { shortText } from '@contract/deployment-api/list/list-limits'
import { watch } from 'vue'
import { useAppStore } from './app'
import { useDeploymentStore } from './deployment'
import { useDeploymentsStore } from './deployments'

/** What an answer says of a deployment's state and of its latest revision. */
export type ReadDeployment = Pick<
  DeploymentSummary,
  | 'id'
  | 'status'
  | 'latest_revision_id'
  | 'active_revision_id'
  | 'repo_url'
  | 'repo_ref'
  | 'image_uri'
  | 'source_tarball_path'
>

/**
 * Passes on every deployment that the live list or a deployment's page reads from now on, and what they show now.
 *
 * @param note gets a deployment, and when the service answered it (ISO 8601)
 */
export function watchReadDeployments(note: (read: ReadDeployment, at: string) => void): void {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const opened = useDeploymentStore()
  const isCurrent = ({ environmentId }: { environmentId: string }): boolean =>
    environmentId === app.currentEnvironmentId

  watch(
    () => list.page,
    (page) => {
      if (!page || !isCurrent(page)) return
      for (const row of page.deployments) if (!isGone(row)) note(row, page.fetchedAt)
    },
    { immediate: true },
  )
  watch(
    // What is read again and didn't change stays the same object, with a newer time.
    () => [opened.detail, opened.readAt] as const,
    ([detail, readAt]) => {
      if (detail && isCurrent(detail)) note(readOf(detail.deployment), readAt ?? detail.fetchedAt)
    },
    { immediate: true },
  )
}

/** A row that stays in the list although the answer lacks its deployment. */
const isGone = (row: DeploymentSummary & { gone_at?: string | null }): boolean => Boolean(row.gone_at)

/** As a row of the list has it, texts cut alike. */
function readOf({ source_config, source_revision_config, ...deployment }: Deployment): ReadDeployment {
  return {
    id: deployment.id,
    status: shortText(deployment.status),
    latest_revision_id: shortText(deployment.latest_revision_id),
    active_revision_id: shortText(deployment.active_revision_id),
    repo_url: shortText(source_config.repo_url),
    repo_ref: shortText(source_revision_config.repo_ref),
    image_uri: shortText(source_revision_config.image_uri),
    source_tarball_path: shortText(source_revision_config.source_tarball_path),
  }
}
