import type { ScreenChoice } from '@contract/ipc/choices'
import { longestScreenId } from '@contract/ipc/screens'
import type { RouteLocationNormalized, Router } from 'vue-router'
import { deploymentPath } from '@/ui/widgets/deployment-path'
import type { useAppStore } from '../stores/app'
import type { useChoicesStore } from '../stores/choices'

type App = Pick<ReturnType<typeof useAppStore>, 'currentEnvironmentId'>
type Choices = Pick<ReturnType<typeof useChoicesStore>, 'screen' | 'set'>

/**
 * Opens the screen that was shown when Slipway was closed, and remembers each one from then on. A deployment is opened
 * only in its own environment; in any other, the list is.
 */
export async function openLastScreen(router: Router, app: App, choices: Choices): Promise<void> {
  const { screen } = choices
  const deployment = screen?.deployment ?? null
  const isHere = deployment !== null && deployment.environmentId === app.currentEnvironmentId
  const path = (isHere ? deploymentPath(deployment.id) : null) ?? screen?.path
  // Without it, the first screen is shown.
  if (path) await router.replace(path).catch(() => undefined)

  function remember(route: RouteLocationNormalized): void {
    const now = screenOf(route, app.currentEnvironmentId)
    if (JSON.stringify(now) !== JSON.stringify(choices.screen)) choices.set({ screen: now })
  }
  remember(router.currentRoute.value)
  router.afterEach(remember)
}

/** What is remembered of a route; null for the first screen. */
function screenOf(
  { path, params }: RouteLocationNormalized,
  environmentId: string | null,
): ScreenChoice | null {
  const { id } = params
  const isDeployment = typeof id === 'string' && id.length <= longestScreenId && environmentId !== null
  const [, first = ''] = path.split('/')
  if (isDeployment) return { path: `/${first}`, deployment: { environmentId, id } }
  return first === 'deployments' ? null : { path: `/${first}`, deployment: null }
}
