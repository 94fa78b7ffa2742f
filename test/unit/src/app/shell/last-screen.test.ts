import type { ScreenChoice } from '@contract/ipc/choices'
import { expect, it } from 'vitest'
import { createMemoryHistory, createRouter, type Router } from 'vue-router'
import { openLastScreen } from '@/app/shell/router'

const component = { template: '<p />' }

async function started(screen: ScreenChoice | null, currentEnvironmentId = 'a') {
  const router: Router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/', redirect: '/deployments' },
      { path: '/deployments', component },
      { path: '/deployments/:id', component },
      { path: '/activity', component },
      { path: '/broken', component: () => Promise.reject(new Error('not loaded')) },
      { path: '/:pathMatch(.*)*', redirect: '/deployments' },
    ],
  })
  await router.push('/')
  const app = { currentEnvironmentId: currentEnvironmentId as string | null }
  const stored: (ScreenChoice | null)[] = []
  const choices = {
    screen,
    set(change: { screen?: ScreenChoice | null }) {
      choices.screen = change.screen ?? null
      stored.push(choices.screen)
    },
  }
  await openLastScreen(router, app, choices)
  return { router, app, stored, path: router.currentRoute.value.path }
}

const deployment = (environmentId: string, id = 'x/y'): ScreenChoice => ({
  path: '/deployments',
  deployment: { environmentId, id },
})

it('opens the screen of the last start, a deployment only in its own environment', async () => {
  expect((await started(null)).path).toBe('/deployments')
  expect((await started({ path: '/activity', deployment: null })).path).toBe('/activity')
  expect((await started(deployment('a'))).path).toBe('/deployments/x%2Fy')
  expect((await started(deployment('b'))).path).toBe('/deployments')
  expect((await started({ path: '/of-a-later-version', deployment: null })).path).toBe('/deployments')
})

it('opens the first screen if that of the last start cannot be loaded', async () => {
  expect((await started({ path: '/broken', deployment: null })).path).toBe('/deployments')
})

it('remembers each screen, but neither the first one nor a very long identifier', async () => {
  const { router, app, stored } = await started({ path: '/activity', deployment: null })
  await router.push('/deployments/one')
  app.currentEnvironmentId = 'b'
  await router.push('/deployments/two')
  await router.push(`/deployments/${'x'.repeat(400)}`)
  await router.push('/deployments?filter=typed')
  expect(stored).toEqual([deployment('a', 'one'), deployment('b', 'two'), null])
})
