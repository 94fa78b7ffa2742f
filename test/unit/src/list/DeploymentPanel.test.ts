import { deploymentSchema } from '@contract'
import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { routeLocationKey, routerKey } from 'vue-router'
import { followMs } from '@/features/deployment/deployment'
import DeploymentPanel from '@/features/list/DeploymentPanel.vue'
import { useDeploymentPanelStore } from '@/features/list/deployment-panel'
import { useDeploymentsStore } from '@/features/list/deployments'
import { summaryOf } from '../../../support/builders/deployment-answers'
import { type FakeBridge, type PendingCall } from '../../../support/page/fake-bridge'
import { startApp, stubWindowWidth } from '../../../support/page/start-app'

const listReadAt = '2026-11-23T12:00:00.000Z'
const readAt = '2026-11-23T12:00:01.000Z'

let bridge: FakeBridge
let panel: ReturnType<typeof useDeploymentPanelStore>
let wrapper: ReturnType<typeof mount<typeof DeploymentPanel>> | null = null
const push = vi.fn()

beforeEach(async () => {
  vi.useFakeTimers()
  stubWindowWidth(true)
  push.mockClear()
  bridge = startApp().bridge
  panel = useDeploymentPanelStore()
  void useDeploymentsStore().open()
  const deployments = ['1', '2', '3'].map((id) => summaryOf(id, { latest_revision_id: `r${id}` }))
  await bridge.calls.at(-1)!.answer({
    environmentId: 'a',
    offset: 0,
    received: 3,
    deployments,
    unreadable: [],
    nextOffset: null,
    end: 'short',
    fetchedAt: listReadAt,
  })
})

function show(id: string): void {
  panel.show(id)
  wrapper = mount(DeploymentPanel, {
    props: { onGo: panel.show },
    global: { provide: { [routerKey as symbol]: { push }, [routeLocationKey as symbol]: { query: {} } } },
    attachTo: document.body,
  })
}

const reads = (): PendingCall[] => bridge.callsOf('deployments.get')
const detailOf = (id: string, more: object = {}, around: object = {}) => ({
  environmentId: 'a',
  deployment: deploymentSchema.parse({ ...summaryOf(id), latest_revision_id: `r${id}`, ...more }),
  json: JSON.stringify([id, more]),
  shortened: false,
  fetchedAt: readAt,
  ...around,
})
const text = (): string => wrapper!.text()
const button = (name: string) =>
  wrapper!.findAll('button').find((one) => one.attributes('aria-label') === name || one.text() === name)!

it('reads only the row on which the focus rests, and cancels reading the previous one', async () => {
  show('1')
  panel.show('2')
  await nextTick()
  expect(reads().map(({ cancelled }) => cancelled)).toEqual([true])
  vi.advanceTimersByTime(200)
  panel.show('3')
  await nextTick()
  expect(text()).toContain('name of 3')
  vi.advanceTimersByTime(200)
  expect(reads()).toHaveLength(1)
  vi.advanceTimersByTime(50)
  expect(reads().map(({ input }) => input.id)).toEqual(['1', '3'])
})

it('follows a rollout as the deployment’s page does, and stops once it is closed', async () => {
  show('1')
  await reads()[0]!.answer(detailOf('1', { status: 'AWAITING_DATABASE' }))
  expect(text()).toContain('Awaiting database')
  vi.advanceTimersByTime(followMs.rollingOut)
  await reads()[1]!.answer(detailOf('1', { status: 'READY', active_revision_id: 'r1' }))
  expect(text()).toContain('Same as latest')
  expect(useDeploymentsStore().live.page?.deployments[0]?.active_revision_id, 'in the list, too').toBe('r1')
  vi.advanceTimersByTime(followMs.rollingOut * 2)
  expect(reads()).toHaveLength(2)
  wrapper!.unmount()
  wrapper = null
  vi.advanceTimersByTime(followMs.settled * 4)
  expect(reads()).toHaveLength(2)
})

it('says why nothing more could be read, without an alert, and reads it again', async () => {
  show('1')
  await reads()[0]!.fail({ code: 'service-error', message: 'The service failed.' })
  expect(text()).toContain('The service failed.')
  expect(wrapper!.find('[role=alert], [role=status], [aria-live]').exists()).toBe(false)
  await button('Retry').trigger('click')
  await reads()[1]!.answer(detailOf('1'))
  expect(text()).not.toContain('The service failed.')
})
