import type { Deployment, Environment } from '@contract'
import type { Router } from 'vue-router'
import { announceDeed } from '@/app/window'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import { deploymentPath } from '@/ui/widgets/deployment'
import { useDeploymentStore } from './deployment'
import { useDeploymentPanelStore } from '@/features/list/deployment-panel'

/**
 * Begins a draft that is filled in from a deployment, and opens its form: in the current environment, or in another one,
 * to which Slipway then switches. If the switch fails, the draft waits there, and the status line says why. The draft
 * waits, too, if the operator chooses yet another environment meanwhile.
 *
 * @returns false where no draft could begin
 */
export async function showClone(
  deployment: Deployment,
  to: Environment | null,
  router: Router,
): Promise<boolean> {
  const drafts = useDraftsStore()
  if (!(to ? drafts.beginElsewhere(deployment, to) : drafts.beginFromDeployment(deployment))) return false
  if (to && !(await isOpened(to))) return true
  await router.push('/new')
  return true
}

/** Switches to an environment. Gives whether it is the current one now. */
async function isOpened({ id, name }: Environment): Promise<boolean> {
  const app = useAppStore()
  const failure = await app.select(id)
  if (app.chosenId !== id) return false
  // Even if saving the choice failed, the switch has taken effect.
  const isCurrent = app.currentEnvironmentId === id
  if (failure) {
    announceDeed(
      isCurrent ? failure.message : `The draft is in ${name}, which couldn't be opened: ${failure.message}`,
    )
  }
  return isCurrent
}

/**
 * Opens the form with a draft that is filled in from a deployment, which is read first unless it is open. If that fails,
 * the deployment's page opens, which says why. Does nothing if the operator has meanwhile left the screen, gone to
 * another deployment or cancelled.
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
  const wasOpen = opened.id === id
  if (opened.detail?.deployment.id !== id) await opened.open(id)
  if (opened.id !== id) return
  if (router.currentRoute.value.fullPath !== fullPath || opened.failure?.code === 'cancelled') return
  const { detail } = opened
  const isWhole = detail?.deployment.id === id && !detail.shortened
  if (isWhole && (await showClone(detail.deployment, to, router))) {
    // Its page or the panel shows it as long as the screen stays.
    if (!wasOpen && !panel.isShown) opened.close()
    return
  }
  await router.push(deploymentPath(id))
}
