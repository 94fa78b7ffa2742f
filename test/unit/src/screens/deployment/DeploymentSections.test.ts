import { deploymentSchema } from '@contract'
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import DeploymentSections from '@/screens/deployment/DeploymentSections.vue'
import { deploymentDetail } from '../../../../support/builders/deployment-answers'
import { startApp } from '../../../../support/page/start-app'

const detail = deploymentDetail(deploymentSchema.parse({ id: 'd', name: 'agent' }), { json: '{ "id": "d" }' })

async function openedAt(address: string) {
  startApp()
  const router = createRouter({
    history: createMemoryHistory(),
    routes: [{ path: '/deployments/:id', component: { render: () => null } }],
  })
  await router.push(address)
  const page = mount(DeploymentSections, { props: { detail }, global: { plugins: [router] } })
  return { page, router, shown: () => page.get('[role=tab][aria-selected=true]').text() }
}

it('opens the section that the URL names, and writes the chosen one into the URL', async () => {
  const { page, router, shown } = await openedAt('/deployments/a%2Fb?section=json')
  expect(shown()).toBe('JSON')
  expect(page.get('pre').text()).toContain('"id": "d"')
  await page.findAll('[role=tab]')[1]!.trigger('click')
  await flushPromises()
  expect(shown()).toBe('History')
  expect(router.currentRoute.value.fullPath).toBe('/deployments/a%2Fb?section=history')
  await page.findAll('[role=tab]')[0]!.trigger('click')
  await flushPromises()
  expect(shown()).toBe('Overview')
  expect(router.currentRoute.value.fullPath).toBe('/deployments/a%2Fb')
  page.unmount()
})

it('opens the first section if the URL names none', async () => {
  for (const address of ['/deployments/d', '/deployments/d?section=other']) {
    const { page, shown } = await openedAt(address)
    expect(shown()).toBe('Overview')
    page.unmount()
  }
})
