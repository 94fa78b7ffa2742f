import { mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { h, nextTick, ref, shallowRef } from 'vue'
import DataTable from '@/components/table/DataTable.vue'
import { rowsInView, useRowKeys } from '@/components/table/use-row-keys'
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

describe('the focus', () => {
  describe('the focus in a row that disappears', () => {
    const rowHeight = 20
    let wrapper: ReturnType<typeof mount>

    const columns = [
      {
        key: 'id',
        title: 'ID',
        rowHeader: true,
        render: (row: object) => h('a', { href: '#' }, (row as { id: string }).id),
      },
    ]
    const rowsOf = (text: string) => [...text].map((id) => ({ id }))
    const shortLists = (text: string) => ({ rows: rowsOf(text) })
    /** A dash stands for a row that is being read. */
    const longLists = (text: string) => {
      const read = rowsOf(text).map((row) => (row.id === '-' ? undefined : row))
      return { list: { total: read.length, at: (index: number) => read[index] } }
    }

    async function mountTable(content: object): Promise<void> {
      wrapper = mount(DataTable, {
        props: {
          label: 'Rows',
          rowHeight,
          columns,
          rowKey: (row: object) => (row as { id: string }).id,
          ...content,
        },
        attachTo: document.body,
      })
      await nextTick()
    }
    async function show(content: object): Promise<void> {
      await wrapper.setProps(content)
      await nextTick()
    }
    const focusOn = (id: string): void =>
      [...document.querySelectorAll('a')].find((link) => link.textContent === id)!.focus()
    const focus = (): string | undefined => {
      const { activeElement } = document
      return activeElement?.getAttribute('role') ?? activeElement?.textContent
    }

    beforeEach(() => {
      vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(10 * rowHeight)
    })

    it.each([
      ['short', shortLists],
      ['long', longLists],
    ])(
      'goes to the row at the same place, or the last one, or the table: a %s list',
      async (_kind, contentOf) => {
        await mountTable(contentOf('abcde'))
        focusOn('d')
        await show(contentOf('xyzwv'))
        expect(focus()).toBe('w')
        await show(contentOf('mn'))
        expect(focus()).toBe('n')
        await show(contentOf(''))
        expect(focus()).toBe('group')
      },
    )

    it('stays with a row that is drawn at another place', async () => {
      await mountTable(shortLists('abc'))
      focusOn('a')
      await show(shortLists('bca'))
      expect(focus()).toBe('a')
    })
  })
})

describe('the first rows', () => {
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
})

describe('widths', () => {
  const onResize = vi.fn()

  function show(columns: { key: string; title: string; width?: string; min?: number }[]): void {
    mount(DataTable, {
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
})

describe('keys', () => {
  beforeEach(() => {
    const rows = [0, 1, 2].map((row) => `<tr><th><a href="#${row}">${row}</a><button>Copy</button></th></tr>`)
    document.body.innerHTML = `<table><tbody>${rows.join('')}</tbody></table>`
    const { keydown } = useRowKeys(ref(null), () => 28)
    document.querySelector('tbody')!.addEventListener('keydown', keydown)
  })

  const control = (row: number, name: 'a' | 'button') => document.querySelectorAll<HTMLElement>(name)[row]!

  function press(key: string, more: KeyboardEventInit = {}): KeyboardEvent {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
    document.activeElement!.dispatchEvent(event)
    return event
  }

  it.each([
    ['j', 0, 1],
    ['ArrowDown', 2, 2],
    ['k', 2, 1],
    ['ArrowUp', 0, 0],
    ['Home', 2, 0],
    ['End', 0, 2],
  ])('%s goes from row %i to row %i, to the same control', (key, from, to) => {
    control(from, 'button').focus()
    expect(press(key).defaultPrevented).toBe(true)
    expect(document.activeElement).toBe(control(to, 'button'))
  })

  it.each([
    ['a table that scrolls', [332, 332, 600], 9],
    ['a table in a screen that scrolls', [5_000, 5_000, 0, 632, 800], 19],
    ['a table without room', [20, 600], 1],
  ])('Page Down keeps one row in view: %s', (_what, heights, rows) => {
    const inside = heights.reduceRight<HTMLElement | null>(
      (parentElement, clientHeight) => ({ clientHeight, parentElement }) as HTMLElement,
      null,
    )
    expect(rowsInView(inside, 30)).toBe(rows)
  })
})

describe('the selection', () => {
  interface Row {
    id: string
  }
  const rows: Row[] = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id }))

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
    mount(DataTable, {
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

  const cell = (index: number): HTMLElement => document.querySelectorAll<HTMLElement>('tbody th')[index]!
  const link = (index: number): HTMLElement => cell(index).querySelector('a')!
  const selected = (): string => [...chosen.value.rows.keys()].sort().join('')

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

  it('leaves links alone, and opens a row on a double click that selects no text', () => {
    fire(link(2), 'click')
    fire(link(2), 'dblclick')
    expect([selected(), opened.mock.calls]).toEqual(['', []])
    expect(fire(cell(2), 'mousedown', { detail: 2 }).defaultPrevented).toBe(true)
    expect(fire(cell(2), 'mousedown', { detail: 1 }).defaultPrevented).toBe(false)
    fire(cell(2), 'dblclick')
    expect(opened).toHaveBeenCalledExactlyOnceWith(rows[2])
  })
})
