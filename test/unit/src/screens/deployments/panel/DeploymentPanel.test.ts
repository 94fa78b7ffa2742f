import { deploymentSchema } from '@contract'
import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { routerKey } from 'vue-router'
import { followMs } from '@/domain/list/reread'
import DeploymentPanel from '@/screens/deployments/DeploymentPanel.vue'
import { useDeploymentPanelStore } from '@/stores/deployment-detail/deployment-panel'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { summaryOf } from '../../../../../support/builders/deployment-summary'
import { type FakeBridge, type PendingCall, settled } from '../../../../../support/page/fake-bridge'
import { startApp, stubWindowWidth } from '../../../../../support/page/start-app'

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
afterEach(() => {
  wrapper?.unmount()
  wrapper = null
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

function show(id: string): void {
  panel.show(id)
  wrapper = mount(DeploymentPanel, {
    props: { onGo: panel.show },
    global: { provide: { [routerKey as symbol]: { push } } },
    attachTo: document.body,
  })
}

const reads = (): PendingCall[] => bridge.calls.filter(({ name }) => name === 'deployments.get')
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

it('shows what the list knows at once, and the rest once it is read', async () => {
  show('1')
  expect(text()).toContain('name of 1')
  await nextTick()
  expect(text()).toContain('Loading details…')
  await reads()[0]!.answer(detailOf('1', { source_config: { custom_url: 'https://agent.example.com' } }))
  expect(text()).toContain('https://agent.example.com')
  expect(text()).not.toContain('Loading details…')
})

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
  expect(useDeploymentsStore().page?.deployments[0]?.active_revision_id, 'in the list, too').toBe('r1')
  vi.advanceTimersByTime(followMs.rollingOut * 2)
  expect(reads()).toHaveLength(2)
  wrapper!.unmount()
  wrapper = null
  vi.advanceTimersByTime(followMs.settled * 4)
  expect(reads()).toHaveLength(2)
})

it('shows the cached deployment if the service no longer has it, as of when it was first missing', async () => {
  show('1')
  const missingAt = '2026-11-23T12:00:02.000Z'
  // The cached one is older than the list.
  const cached = { fetchedAt: '2026-11-23T11:00:00.000Z', fromCache: { goneAt: missingAt, missingAt } }
  await reads()[0]!.answer(
    detailOf('1', { source_config: { custom_url: 'https://agent.example.com' } }, cached),
  )
  expect(text()).toContain('deleted')
  expect(text()).toContain('Deleted, as of')
  expect(text()).toContain('the service has no deployment with this identifier.')
  expect(text()).toContain('https://agent.example.com')
  const list = useDeploymentsStore()
  list.update(list.page!, [...list.page!.deployments], '2026-11-23T12:00:15.000Z')
  await nextTick()
  expect(text(), 'the list has it again').not.toContain('Deleted, as of')
})

it('says why nothing more could be read, without an alert, and reads it again', async () => {
  show('1')
  await reads()[0]!.fail({ code: 'service-error', message: 'The service failed.' })
  expect(text()).toContain("Can't read the details.")
  expect(text()).toContain('The service failed.')
  expect(wrapper!.find('[role=alert], [aria-live]').exists()).toBe(false)
  await button('Retry').trigger('click')
  await reads()[1]!.answer(detailOf('1'))
  expect(text()).not.toContain('The service failed.')
})

it('goes to the neighbouring rows, and moves the focus at the end of the list', async () => {
  show('2')
  const go = async (name: string): Promise<void> => {
    button(name).element.focus()
    await button(name).trigger('click')
    await settled()
  }
  await go('Next deployment')
  expect(panel.id).toBe('3')
  expect(document.activeElement).toBe(button('Previous deployment').element)
  await go('Previous deployment')
  expect(document.activeElement).toBe(button('Previous deployment').element)
  await go('Previous deployment')
  expect(panel.id).toBe('1')
  expect(document.activeElement).toBe(button('Next deployment').element)
})

it('opens the page, copies the identifier and closes', async () => {
  show('1')
  await button('Open').trigger('click')
  expect(push).toHaveBeenCalledWith('/deployments/1')
  await button('Copy ID').trigger('click')
  expect(bridge.calls.at(-1)).toMatchObject({ name: 'clipboard.write', input: { text: '1' } })
  await button('Close panel').trigger('click')
  expect(panel.isShown).toBe(false)
})
