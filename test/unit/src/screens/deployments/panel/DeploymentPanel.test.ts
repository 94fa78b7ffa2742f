import { deploymentSchema } from '@contract'
import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { routerKey } from 'vue-router'
import { followMs } from '@/domain/list/reread'
import DeploymentPanel from '@/screens/deployments/panel/DeploymentPanel.vue'
import WidthEdge from '@/components/page/WidthEdge.vue'
import { useAnnotationsStore } from '@/stores/annotations/annotations'
import { useAppStore } from '@/stores/application/app'
import { useCommandsStore } from '@/stores/application/commands'
import { useDeploymentPanelStore } from '@/stores/deployment-detail/deployment-panel'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { summaryOf } from '../../../../../support/builders/deployment-summary'
import { appState, type FakeBridge, type PendingCall, settled } from '../../../../../support/page/fake-bridge'
import { startApp } from '../../../../../support/page/start-app'
import { stubWindowWidth } from '../../../../../support/page/wide-window'

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

it('shows what the list has read since', async () => {
  show('1')
  await reads()[0]!.answer(detailOf('1', { active_revision_id: 'r1' }))
  const list = useDeploymentsStore()
  const rows = list.page!.deployments.map((row) => (row.id === '1' ? { ...row, status: 'UNUSED' } : row))
  list.update(list.page!, rows, '2026-11-23T12:00:00.500Z')
  await nextTick()
  expect(text(), 'older than the deployment').toContain('Ready')
  list.update(list.page!, [...rows], '2026-11-23T12:00:15.000Z')
  await nextTick()
  expect(text()).toContain('Unused')
  expect(reads()).toHaveLength(1)
})

it('updates its row with what it reads again, even if a slow list returned an older one in between', async () => {
  show('1')
  await reads()[0]!.answer(detailOf('1', { status: 'UNUSED' }))
  const list = useDeploymentsStore()
  expect(list.page?.deployments[0]?.status).toBe('UNUSED')
  const older = list.page!.deployments.map((row) => ({ ...row, status: 'READY' }))
  list.update(list.page!, older, '2026-11-23T12:00:15.000Z')
  vi.advanceTimersByTime(followMs.settled)
  await reads()[1]!.answer(detailOf('1', { status: 'UNUSED' }, { fetchedAt: '2026-11-23T12:00:31.000Z' }))
  expect(list.page?.deployments[0]?.status).toBe('UNUSED')
})

it('says how old a cached deployment is, and that it is deleted', async () => {
  show('1')
  expect(text()).not.toContain('From the cache')
  const cached = { fromCache: { goneAt: '2026-11-22T00:00:00Z' } }
  await reads()[0]!.answer(detailOf('1', {}, cached))
  expect(text()).toContain('From the cache, as of 23 Nov 2026')
  expect(text()).toContain("the service can't be reached")
  expect(text()).toContain('Deleted, as of')
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

it('shows the favourite, the labels and the note', async () => {
  void useAnnotationsStore().open()
  const own = { deploymentId: '1', name: 'one', favourite: true, labels: ['mine'], note: 'Ask Ann.' }
  await bridge.calls.find(({ name }) => name === 'annotations.list')!.answer([own])
  show('1')
  expect(text()).toContain('mine')
  expect(text()).toContain('Ask Ann.')
  expect(button('Favourite').attributes('aria-pressed')).toBe('true')
  await button('Favourite').trigger('click')
  expect(bridge.calls.at(-1)).toMatchObject({
    name: 'annotations.save',
    input: { deploymentId: '1', change: { favourite: false } },
  })
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

it('gives the palette the commands of its deployment, as its page does', async () => {
  const commands = useCommandsStore()
  expect(commands.available()).toEqual([])
  show('1')
  await nextTick()
  expect(commands.available(), 'of the row').toEqual([
    'copy-name',
    'copy-id',
    'copy-link',
    'clone-deployment',
    'clone-to',
  ])
  const copied = (command: 'copy-name' | 'copy-id' | 'copy-image' | 'copy-link'): unknown => {
    expect(commands.run(command)).toBe(true)
    return bridge.calls.filter(({ name }) => name === 'clipboard.write').at(-1)?.input.text
  }
  vi.advanceTimersByTime(250)
  await reads()[0]!.answer(detailOf('1', { source_revision_config: { image_uri: 'agent:1' } }))
  expect([copied('copy-name'), copied('copy-id'), copied('copy-image'), copied('copy-link')]).toEqual([
    'name of 1',
    '1',
    'agent:1',
    'slipway://a/deployments/1',
  ])
  panel.show('2')
  await nextTick()
  expect(copied('copy-id')).toBe('2')
  expect(commands.run('copy-image'), 'not that of the row before').toBe(false)
  wrapper!.unmount()
  wrapper = null
  expect(commands.available()).toEqual([])
})

it('opens the field of the note, which turns back into text when it loses the focus', async () => {
  const commands = useCommandsStore()
  void useAnnotationsStore().open()
  await bridge.calls.find(({ name }) => name === 'annotations.list')!.answer([])
  show('1')
  expect(commands.run('edit-note')).toBe(true)
  await settled()
  const field = wrapper!.get('textarea')
  expect(document.activeElement).toBe(field.element)
  await field.setValue('Ask Ann.')
  await field.trigger('keydown', { key: 'Escape' })
  await settled()
  expect(wrapper!.find('textarea').exists()).toBe(false)
  expect(text()).toContain('Ask Ann.')
  expect(bridge.calls.at(-1)).toMatchObject({
    name: 'annotations.save',
    input: { deploymentId: '1', change: { note: 'Ask Ann.' } },
  })
})

it('clones only to other environments if nothing can be created in its own', async () => {
  show('1')
  const cloning = (): string[] =>
    wrapper!.findAll('button').flatMap((one) => (one.text().startsWith('Clone') ? one.text() : []))
  expect(cloning()).toEqual(['Clone'])
  const state = appState('a')
  const [one, ...others] = state.environments
  const readOnly = { ...one!, profile: { ...one!.profile!, readOnly: true } }
  useAppStore().state = { ...state, environments: [readOnly, ...others] }
  await nextTick()
  expect(cloning()).toEqual(['Clone to…'])
})

it('is wider while its edge is dragged, and keeps that width at the end', async () => {
  show('1')
  const edge = wrapper!.getComponent(WidthEdge)
  const style = (): string => (wrapper!.element as HTMLElement).style.getPropertyValue('--panel-width')
  edge.vm.$emit('drag', 600)
  await nextTick()
  expect([style(), panel.width]).toEqual(['600px', 480])
  edge.vm.$emit('resize', 600)
  edge.vm.$emit('drag', null)
  await nextTick()
  expect([style(), panel.width]).toEqual(['600px', 600])
})
