import { createRouter, createWebHashHistory, type RouteComponent } from 'vue-router'
import { headingFocus } from '../focus'
// The first screen is loaded at the start, the others when they are opened.
import DeploymentsScreen from '@/features/list/DeploymentsScreen.vue'

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
