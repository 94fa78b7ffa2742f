import type { Router } from 'vue-router'
import { deploymentPath } from '@/components/display/deployment-path'
import { useDeploymentStore } from '@/stores/deployment'
import { useDraftsStore } from '@/stores/drafts'

/**
 * Reads a deployment of the list and opens the form with a draft that is filled in from it. Where that can't be done, its
 * own page opens, which says why. Nothing happens once the operator has left the list or cancelled.
 */
export async function cloneDeployment(id: string, router: Router): Promise<void> {
  const opened = useDeploymentStore()
  const { fullPath } = router.currentRoute.value
  await opened.open(id)
  if (router.currentRoute.value.fullPath !== fullPath || opened.failure?.code === 'cancelled') return
  const { detail } = opened
  const isWhole = detail?.deployment.id === id && !detail.shortened
  if (isWhole && useDraftsStore().beginFromDeployment(detail.deployment)) {
    opened.close()
    await router.push('/new')
    return
  }
  const path = deploymentPath(id)
  if (path !== null) await router.push(path)
}
