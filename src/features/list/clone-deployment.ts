import type { Environment } from '@contract'
import type { Router } from 'vue-router'
import { showClone } from '@/features/deployment/show-clone'
import { deploymentPath } from '@/ui/widgets/deployment-path'
import { useDeploymentStore } from '@/features/deployment/deployment'
import { useDeploymentPanelStore } from './deployment-panel'

/**
 * Opens the form with a draft that is filled in from a deployment of the list, which is read first unless it is open.
 * If that fails, the deployment's page opens, which says why. Does nothing if the operator has meanwhile left the
 * list, gone to another deployment or cancelled.
 *
 * @param to the other environment that the draft is for; null for the current one
 */
export async function cloneDeployment(
  id: string,
  router: Router,
  to: Environment | null = null,
): Promise<void> {
  const opened = useDeploymentStore()
  const panel = useDeploymentPanelStore()
  const { fullPath } = router.currentRoute.value
  if (opened.detail?.deployment.id !== id) await opened.open(id)
  if (opened.id !== id) return
  if (router.currentRoute.value.fullPath !== fullPath || opened.failure?.code === 'cancelled') return
  const { detail } = opened
  const isWhole = detail?.deployment.id === id && !detail.shortened
  if (isWhole && (await showClone(detail.deployment, to, router))) {
    // The panel shows it as long as the list stays.
    if (!panel.isShown) opened.close()
    return
  }
  const path = deploymentPath(id)
  if (path !== null) await router.push(path)
}
