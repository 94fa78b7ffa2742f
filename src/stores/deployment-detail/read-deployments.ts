import type { DeploymentSummary } from '@contract'
import { summarise } from '@contract/deployment-api/reading/summarise'
import { watch } from 'vue'
import { useAppStore } from '@/stores/application/app'
import { useDeploymentStore } from './deployment'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import type { ListedRow } from './neighbours'

/**
 * Passes on every deployment that the live list or a deployment's page reads from now on, and what they show now.
 *
 * @param note gets a deployment, and when the service answered it (ISO 8601)
 */
export function watchReadDeployments(note: (read: DeploymentSummary, at: string) => void): void {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const opened = useDeploymentStore()
  const isCurrent = ({ environmentId }: { environmentId: string }): boolean =>
    environmentId === app.currentEnvironmentId

  watch(
    () => list.live.page,
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
      if (detail && isCurrent(detail)) note(summarise(detail.deployment), readAt ?? detail.fetchedAt)
    },
    { immediate: true },
  )
}

/** Whether a row stays in the list although the answer lacks its deployment. */
const isGone = ({ gone_at }: ListedRow): boolean => Boolean(gone_at)
