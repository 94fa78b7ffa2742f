import { deploymentSchema } from '@contract'
import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import HistorySection from '@/screens/deployment/sections/HistorySection.vue'
import { useSyncStore } from '@/stores/application/sync'
import { deploymentDetail } from '../../../../../support/builders/deployment-answers'
import { startApp } from '../../../../../support/page/start-app'

vi.mock('vue-router', () => ({ useRouter: () => ({}) }))

it('says what is wrong with the cache of its environment, because it would seem that nothing changed', async () => {
  startApp()
  const detail = deploymentDetail(deploymentSchema.parse({ id: 'd', name: 'agent' }))
  const section = mount(HistorySection, { props: { detail } })
  const sync = useSyncStore()
  const problem = 'The disk is full.'
  sync.state = { environmentId: 'another', problem } as never
  await section.vm.$nextTick()
  expect(section.text()).not.toContain(problem)
  sync.state = { environmentId: detail.environmentId, problem } as never
  await section.vm.$nextTick()
  expect(section.get('[role="status"]').text()).toBe(problem)
  section.unmount()
})
