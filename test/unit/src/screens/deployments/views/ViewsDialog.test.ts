import { mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import ViewsDialog from '@/screens/deployments/views/ViewsDialog.vue'
import { noFilters } from '@/stores/deployment-list/deployments'
import { useViewsStore } from '@/stores/deployment-list/views'
import { startApp } from '../../../../../support/page/start-app'

// On a slow machine, naive-ui's buttons are slow to render.
vi.setConfig({ testTimeout: 60_000 })

const viewOf = (index: number) => ({
  ...{ id: String(index), environmentId: null, name: `View ${index}` },
  filters: { ...noFilters(), statuses: [] },
  ...{ data: 'live' as const, sort: null, pageSize: 50 },
})

it('draws the first of many views, others when asked, and the first again when it is opened again', async () => {
  startApp()
  useViewsStore().all = Array.from({ length: 60 }, (_, index) => viewOf(index))
  const wrapper = mount(ViewsDialog, { props: { show: true }, attachTo: document.body })
  await nextTick()
  const buttons = () => [...document.querySelectorAll<HTMLButtonElement>('[role=dialog] button')]
  const count = () =>
    buttons().filter((button) => button.getAttribute('aria-label')?.startsWith('Remove View')).length
  expect(count()).toBe(50)
  buttons()
    .find(({ textContent }) => textContent.includes('Show 10 of 10 more'))!
    .click()
  await nextTick()
  expect(count()).toBe(60)
  await wrapper.setProps({ show: false })
  await wrapper.setProps({ show: true })
  await nextTick()
  expect(count()).toBe(50)
  wrapper.unmount()
})
