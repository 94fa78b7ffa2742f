import type { DeploymentSummary } from '@contract'
import { mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { routerKey } from 'vue-router'
import { checkPixels, type TableColumn } from '@/ui/table/table'
import DeploymentsTable from '@/features/list/DeploymentsTable.vue'
import { useDeploymentPanelStore } from '@/features/list/deployment-panel'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useSelectionStore } from '@/features/list/selection'
import { sizes } from '@/app/theme/tokens'
import { deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'
import type { FakeBridge } from '../../../support/page/fake-bridge'
import { showPage, startApp, stubWindowWidth } from '../../../support/page/start-app'

let wrapper: ReturnType<typeof mount<typeof DeploymentsTable>>
let bridge: FakeBridge
const router = { push: vi.fn() }
/** Lays the table out where there is this room for its columns, in pixels. */
let layOut: (room: number) => Promise<void>

const show = (...deployments: DeploymentSummary[]): Promise<void> =>
  showPage(bridge, deploymentPage(deployments))

/** Mounts the table; draws it once its room is measured, where the page has a layout. */
async function mountTable(): Promise<void> {
  wrapper = mount(DeploymentsTable, {
    global: { provide: { [routerKey as symbol]: router } },
    attachTo: document.body,
  })
  expect(wrapper.find('table').exists()).toBe(false)
  await nextTick()
}

beforeEach(async () => {
  stubWindowWidth(true)
  router.push.mockClear()
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
  const observers: ((entries: unknown[]) => void)[] = []
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(onResize: (entries: unknown[]) => void) {
        observers.push(onResize)
        layOut = async (room) => {
          const entries = [{ contentRect: { width: room + sizes.scrollbar + checkPixels } }]
          for (const observer of observers) observer(entries)
          await nextTick()
        }
      }
      observe(): void {}
      disconnect(): void {}
    },
  )
  bridge = startApp().bridge
  await show(summaryOf('1'), summaryOf('2'))
  await mountTable()
})

const columns = (): TableColumn<object>[] =>
  (wrapper.findComponent({ name: 'DataTable' }).props() as { columns: TableColumn<object>[] }).columns
const keys = (): string[] => columns().map(({ key }) => key)

it('knows its columns before it draws them', async () => {
  wrapper.unmount()
  const width = 900 + sizes.scrollbar + checkPixels
  const measured = vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect')
  measured.mockReturnValue(new DOMRect(0, 0, width, 0))
  await mountTable()
  measured.mockRestore()
  expect(keys()).toEqual(['name', 'status', 'runs', 'revision', 'updated_at'])
})

it('says what is rolling out in the status where revisions have no room', async () => {
  const revisions = { latest_revision_id: 'new', active_revision_id: 'old' }
  await show(
    summaryOf('1', { status: 'READY', ...revisions }),
    summaryOf('2', { status: 'READY' }),
    summaryOf('3', { status: 'AWAITING_DATABASE', ...revisions }),
  )
  await nextTick()
  const statuses = () => wrapper.findAll('tbody tr').map((row) => row.findAll('td')[1]?.text())
  await layOut(1_000)
  expect(statuses()).toEqual(['Ready', 'Ready', 'Awaiting database'])
  await layOut(528)
  expect(keys()).toEqual(['name', 'status', 'updated_at'])
  expect(statuses()).toEqual(['Readyrolling out', 'Ready', 'Awaiting database'])
})

it('keeps the column of a header that has the focus when it is no longer sorted by it', async () => {
  const list = useDeploymentsStore()
  list.choose('cached')
  list.setSort({ by: 'source', descending: true })
  await layOut(900)
  const withSource = ['name', 'status', 'source', 'revision', 'updated_at']
  expect(keys()).toEqual(withSource)
  const button = document.querySelector<HTMLElement>('[data-column="source"] button')!
  button.focus()
  list.setSort(null)
  await nextTick()
  expect(keys()).toEqual(withSource)
  expect(document.activeElement).toBe(button)
  button.blur()
  await layOut(901)
  expect(keys()).toEqual(['name', 'status', 'runs', 'revision', 'updated_at'])
})

it.each([
  ['aside', '2'],
  ['nav', undefined],
])('comes back to the row in the panel if the focus was there: %s', (place, key) => {
  useDeploymentPanelStore().show('2')
  document.body.insertAdjacentHTML('beforeend', `<${place}><button class="focused"></button></${place}>`)
  document.querySelector<HTMLElement>('.focused')!.focus()
  wrapper.unmount()
  expect(useDeploymentsStore().position?.focused?.key).toBe(key)
})

describe('the selection', () => {
  beforeEach(async () => {
    await show(...['a', 'b', 'c', 'd', 'e'].map((id) => summaryOf(id)))
    await nextTick()
  })

  const link = (index: number): HTMLElement =>
    document.querySelectorAll<HTMLElement>('tbody .name-link')[index]!
  const cell = (index: number): HTMLElement => link(index).closest('th')!
  const selected = (): string =>
    useSelectionStore()
      .rows.map(({ id }) => id)
      .sort()
      .join('')

  function fire(element: HTMLElement, type: string, more: MouseEventInit = {}): MouseEvent {
    const event = new MouseEvent(type, { bubbles: true, cancelable: true, ...more })
    element.dispatchEvent(event)
    return event
  }

  it('selects with the mouse: one row, one more, a range, and a range from the same start', () => {
    fire(cell(1), 'click')
    expect([selected(), document.activeElement]).toEqual(['b', link(1)])
    fire(cell(3), 'click', { ctrlKey: true })
    expect(selected()).toBe('bd')
    fire(cell(4), 'click', { shiftKey: true })
    expect(selected()).toBe('bde')
    fire(cell(2), 'click', { shiftKey: true })
    expect(selected()).toBe('bcd')
    fire(cell(0), 'click')
    expect(selected()).toBe('a')
  })

  it('opens a row on a double click, which selects no text', () => {
    fire(link(2), 'dblclick')
    expect(router.push).not.toHaveBeenCalled()
    expect(fire(cell(2), 'mousedown', { detail: 2 }).defaultPrevented).toBe(true)
    expect(fire(cell(2), 'mousedown', { detail: 1 }).defaultPrevented).toBe(false)
    fire(cell(2), 'dblclick')
    expect(router.push).toHaveBeenCalledExactlyOnceWith('/deployments/c')
  })
})
