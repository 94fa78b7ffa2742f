import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import DataTable from '@/components/table/DataTable.vue'

const onResize = vi.fn()
let wrapper: ReturnType<typeof mount>

function show(columns: { key: string; title: string; width?: string; min?: number }[]): void {
  wrapper = mount(DataTable, {
    props: {
      label: 'Rows',
      rows: [{ id: 'a' }],
      rowKey: (row: object) => (row as { id: string }).id,
      resizable: true,
      columns,
      onResize,
    },
    attachTo: document.body,
  })
  document.querySelector<HTMLElement>('th')!.getBoundingClientRect = () => ({ width: 200 }) as DOMRect
}
beforeEach(() => {
  onResize.mockClear()
  HTMLElement.prototype.setPointerCapture = () => {}
})
afterEach(() => wrapper.unmount())

const widths = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('col')].map(({ style }) => style.width)
const edges = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.table-edge')]
const point = (type: string, clientX: number): void => {
  edges()[0]!.dispatchEvent(new PointerEvent(type, { clientX, button: 0, pointerId: 1 }))
}

it('follows the mouse to a width, which is applied at the end', async () => {
  show([
    { key: 'name', title: 'Name', width: '208px' },
    { key: 'runs', title: 'Runs', min: 180 },
  ])
  expect([widths(), edges().length]).toEqual([['208px', ''], 1])
  point('pointerdown', 200)
  point('pointermove', 290.4)
  await nextTick()
  expect(widths()).toEqual(['290px', ''])
  point('pointermove', -500)
  point('pointerup', -500)
  expect(onResize.mock.calls).toEqual([['name', 56]])
  await nextTick()
  expect(widths()).toEqual(['208px', ''])
  point('dblclick', 200)
  expect(onResize.mock.lastCall).toEqual(['name', null])
})
