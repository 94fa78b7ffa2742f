import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { shallowRef } from 'vue'
import DataTable from '@/components/table/DataTable.vue'
import type { RowMenu, RowSelection } from '@/components/table/use-row-selection'
import {
  addRows,
  beginAt,
  extendTo,
  nothingSelected,
  selectOnly,
  type Selection,
  toggleRow,
} from '@/stores/deployment-list/selection'

interface Row {
  id: string
}
const rows: Row[] = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))

let wrapper: ReturnType<typeof mount>
const chosen = shallowRef<Selection<Row>>(nothingSelected)
const opened = vi.fn()
const menu = vi.fn<(menu: RowMenu<Row>) => void>()

const selection: RowSelection<Row> = {
  has: ({ id }) => chosen.value.rows.has(id),
  label: ({ id }) => id,
  isAnchor: ({ id }) => chosen.value.anchor === id,
  count: () => chosen.value.rows.size,
  only: (row) => void (chosen.value = selectOnly(row)),
  toggle: (row) => void (chosen.value = toggleRow(chosen.value, row)),
  begin: (row) => void (chosen.value = beginAt(chosen.value, row)),
  extend: (range) => void (chosen.value = extendTo(chosen.value, range)),
  add: (more) => void (chosen.value = addRows(chosen.value, more)),
  clear: () => void (chosen.value = nothingSelected),
}

beforeEach(() => {
  vi.clearAllMocks()
  chosen.value = nothingSelected
  wrapper = mount(DataTable, {
    props: {
      label: 'Rows',
      rows,
      rowKey: (row: object) => (row as Row).id,
      selection: selection as RowSelection<object>,
      columns: [{ key: 'id', title: 'ID', rowHeader: true }],
      onOpen: opened,
      onMenu: menu as (menu: RowMenu<object>) => void,
    },
    attachTo: document.body,
  })
  for (const row of document.querySelectorAll('tbody th')) {
    row.innerHTML = `<a href="#">${row.textContent}</a>`
  }
})
afterEach(() => wrapper.unmount())

const cell = (index: number): HTMLElement => document.querySelectorAll<HTMLElement>('tbody th')[index]!
const link = (index: number): HTMLElement => cell(index).querySelector('a')!
const selected = (): string => [...chosen.value.rows.keys()].sort().join('')

function fire(element: HTMLElement, type: string, more: MouseEventInit = {}): MouseEvent {
  const event = new MouseEvent(type, { bubbles: true, cancelable: true, ...more })
  element.dispatchEvent(event)
  return event
}
function press(key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  document.activeElement!.dispatchEvent(event)
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

it('leaves links alone, and opens a row on a double click that selects no text', () => {
  fire(link(2), 'click')
  fire(link(2), 'dblclick')
  expect([selected(), opened.mock.calls]).toEqual(['', []])
  expect(fire(cell(2), 'mousedown', { detail: 2 }).defaultPrevented).toBe(true)
  expect(fire(cell(2), 'mousedown', { detail: 1 }).defaultPrevented).toBe(false)
  fire(cell(2), 'dblclick')
  expect(opened).toHaveBeenCalledExactlyOnceWith(rows[2])
})

it('selects with the keyboard: Space, Shift with arrows, all, none', () => {
  link(1).focus()
  expect(press(' ').defaultPrevented).toBe(true)
  press('ArrowDown', { shiftKey: true })
  press('ArrowDown', { shiftKey: true })
  expect([selected(), document.activeElement]).toEqual(['bcd', link(3)])
  press('ArrowUp', { shiftKey: true })
  expect([selected(), document.activeElement]).toEqual(['bc', link(2)])
  press(' ')
  expect(selected()).toBe('b')
  press('a', { ctrlKey: true })
  expect(selected()).toBe('abcde')
  expect(press('Escape').defaultPrevented).toBe(true)
  expect([selected(), press('Escape').defaultPrevented]).toEqual(['', false])
})

it('requests the menu of the row, or of all selected ones', () => {
  fire(cell(0), 'click')
  fire(cell(1), 'click', { shiftKey: true })
  expect(fire(cell(1), 'contextmenu', { clientX: 7, clientY: 9 }).defaultPrevented).toBe(true)
  expect(selected()).toBe('ab')
  fire(cell(3), 'contextmenu')
  expect(selected()).toBe('d')
  link(2).focus()
  expect(press('F10', { shiftKey: true }).defaultPrevented).toBe(true)
  press('ContextMenu')
  expect(menu.mock.calls.map(([{ row }]) => row.id)).toEqual(['b', 'd', 'c', 'c'])
  expect(menu.mock.calls[0]![0]).toMatchObject({ x: 7, y: 9, from: link(1) })
})
