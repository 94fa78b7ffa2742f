import {
  createRouter,
  createWebHashHistory,
  type RouteComponent,
  type RouteLocationNormalized,
  type Router,
} from 'vue-router'
import { headingFocus } from '@/app/window'
import DeploymentsScreen from '@/features/list/DeploymentsScreen.vue'
import type { ScreenChoice } from '@contract/ipc/choices'
import { longestScreenId } from '@contract/ipc/screens'
import { deploymentPath } from '@/ui/widgets/deployment'
import type { useAppStore } from '../stores/app'
import type { useChoicesStore } from '../stores/choices'

// The first screen is loaded at the start, the others when they are opened.

/** Loads a screen that uses schemas. The Content-Security-Policy forbids eval, which zod would try. */
async function withSchemas<Screen extends RouteComponent>(
  load: () => Promise<{ default: Screen }>,
): Promise<{ default: Screen }> {
  const { validateWithoutEval } = await import('@contract/core/without-eval')
  validateWithoutEval()
  return load()
}

/**
 * The screens. Those with an environment's data (`ofEnvironment`) are created again when another environment becomes
 * current. Those about all environments (`ofAll`) have no environment's colour. Hash history, because app:// serves
 * one page.
 */
export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/', redirect: '/deployments' },
    {
      path: '/overview',
      component: () => import('@/features/overview/OverviewScreen.vue'),
      meta: { ofAll: true },
    },
    {
      path: '/board',
      component: () => import('@/features/board/BoardScreen.vue'),
      meta: { ofAll: true },
    },
    {
      path: '/deployments',
      component: DeploymentsScreen,
      meta: { ofEnvironment: true },
    },
    {
      path: '/deployments/:id',
      component: () => import('@/features/deployment/DeploymentScreen.vue'),
      props: true,
      meta: { ofEnvironment: true },
    },
    {
      path: '/repositories',
      component: () => import('@/features/repositories/RepositoriesScreen.vue'),
      meta: { ofEnvironment: true },
    },
    {
      path: '/new',
      component: () => withSchemas(() => import('@/features/new-deployment/NewDeploymentScreen.vue')),
      meta: { ofEnvironment: true },
    },
    {
      path: '/compare',
      component: () => withSchemas(() => import('@/features/compare/CompareScreen.vue')),
      meta: { ofAll: true },
    },
    {
      path: '/environments',
      component: () => withSchemas(() => import('@/features/environments/EnvironmentsScreen.vue')),
    },
    {
      path: '/activity',
      component: () => import('@/features/activity/ActivityScreen.vue'),
      meta: { ofAll: true },
    },
    { path: '/:pathMatch(.*)*', redirect: '/deployments' },
  ],
})

router.afterEach((to, from) => {
  headingFocus.wanted = from.matched.length > 0 && to.path !== from.path
})

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
  const path = isHere ? deploymentPath(deployment.id) : screen?.path
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
