import { createRouter, createWebHashHistory, type RouteComponent } from 'vue-router'
import { headingFocus } from '@/composables/heading-focus'
// Part of what is loaded at the start, since it is the first screen; the others are loaded when they are opened.
import DeploymentsScreen from '@/screens/deployments/DeploymentsScreen.vue'

/** Loads a screen that checks input by schemas: the page's Content-Security-Policy forbids eval, which zod would try. */
async function withSchemas<Screen extends RouteComponent>(
  load: () => Promise<{ default: Screen }>,
): Promise<{ default: Screen }> {
  const { validateWithoutEval } = await import('@contract/core/without-eval')
  validateWithoutEval()
  return load()
}

/**
 * The screens. Those that show an environment's data (`ofEnvironment`) are made anew when another environment
 * becomes the current one. Hash history, because app:// serves one page.
 */
export const router = createRouter({
  history: createWebHashHistory(),
  routes: [
    { path: '/', redirect: '/deployments' },
    {
      path: '/deployments',
      component: DeploymentsScreen,
      meta: { ofEnvironment: true },
    },
    {
      path: '/deployments/:id',
      component: () => import('@/screens/deployment/DeploymentScreen.vue'),
      props: true,
      meta: { ofEnvironment: true },
    },
    {
      path: '/repositories',
      component: () => import('@/screens/repositories/RepositoriesScreen.vue'),
      meta: { ofEnvironment: true },
    },
    {
      path: '/new',
      component: () => withSchemas(() => import('@/screens/new-deployment/NewDeploymentScreen.vue')),
      meta: { ofEnvironment: true },
    },
    {
      path: '/environments',
      component: () => withSchemas(() => import('@/screens/environments/EnvironmentsScreen.vue')),
    },
    { path: '/activity', component: () => import('@/screens/activity/ActivityScreen.vue') },
    { path: '/:pathMatch(.*)*', redirect: '/deployments' },
  ],
})

router.afterEach((to, from) => {
  headingFocus.wanted = from.matched.length > 0 && to.path !== from.path
})
