import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import DataTable from '@/components/table/DataTable.vue'

const rowHeight = 20

let wrapper: ReturnType<typeof mountTable>

function mountTable(count: number) {
  return mount(DataTable, {
    props: { ...rowsOf(count), label: 'Rows', rowHeight, columns: [{ key: 'id', title: 'ID' }] },
    attachTo: document.body,
  })
}
const rowsOf = (count: number) => ({
  rows: Array.from({ length: count }, (_, id) => ({ id })),
  rowKey: (row: object) => (row as { id: number }).id,
})
const drawn = (): string[] => wrapper.findAll('tbody tr').map((row) => row.text())
const numbersTo = (count: number): string[] => Array.from({ length: count }, (_, id) => String(id))

/** The heights of the table and of the space for what isn't drawn yet, in rows. */
function heightInRows(): number {
  const room = wrapper.find<HTMLElement>('.table-scroll > div')
  const pixels = room.exists() ? Number.parseInt(room.element.style.height, 10) : 0
  return drawn().length + pixels / rowHeight
}

beforeEach(() => {
  const frames = ['requestAnimationFrame', 'cancelAnimationFrame'] as const
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...frames] })
  vi.stubGlobal('innerHeight', 210)
})
afterEach(() => {
  wrapper.unmount()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

it('draws the rows that fit into the window first, and the others once those are painted', async () => {
  wrapper = mountTable(50)
  const busy = (): string | undefined => wrapper.get('table').attributes('aria-busy')
  expect(drawn()).toEqual(numbersTo(11))
  expect(heightInRows()).toBe(50)
  expect(busy()).toBe('true')
  await vi.runAllTimersAsync()
  expect(drawn()).toEqual(numbersTo(50))
  expect(heightInRows()).toBe(50)
  expect(busy()).toBe('false')

  await wrapper.setProps(rowsOf(80))
  expect(drawn()).toEqual(numbersTo(80))
})
