import { mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { h, nextTick } from 'vue'
import DataTable from '@/ui/table/DataTable.vue'
import { moveBetweenRows, rowsInView } from '@/ui/table/row-focus'
import type { ListRows } from '@/ui/table/table'
import { sizes } from '@/app/theme/tokens'

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
    const listed = (text: string) => ({ rows: rowsOf(text) })

    async function mountTable(content: { rows: ListRows<object> }): Promise<void> {
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
    async function show(content: { rows: ListRows<object> }): Promise<void> {
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

    it('goes to the row at the same place, or the last one, or the table', async () => {
      await mountTable(listed('abcde'))
      focusOn('d')
      await show(listed('xyzwv'))
      expect(focus()).toBe('w')
      await show(listed('mn'))
      expect(focus()).toBe('n')
      await show(listed(''))
      expect(focus()).toBe('group')
    })

    it('stays with a row that is drawn at another place', async () => {
      await mountTable(listed('abc'))
      focusOn('a')
      await show(listed('bca'))
      expect(focus()).toBe('a')
    })
  })
})

it('draws the rows in view first, and all of a short list, or those around the view, once these are painted', async () => {
  const rowHeight = 20
  const frames = ['requestAnimationFrame', 'cancelAnimationFrame'] as const
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...frames] })
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(10 * rowHeight + sizes.control)
  const rowsTo = (count: number) => ({ rows: Array.from({ length: count }, (_, id) => ({ id })) })
  const wrapper = mount(DataTable, {
    props: {
      ...rowsTo(50),
      rowKey: (row: object) => String((row as { id: number }).id),
      label: 'Rows',
      rowHeight,
      columns: [{ key: 'id', title: 'ID', render: (row: object) => String((row as { id: number }).id) }],
    },
    attachTo: document.body,
  })
  await nextTick()
  const drawn = (): (string | undefined)[] => {
    const rows = wrapper.findAll('tbody tr').map((row) => row.text())
    return [rows[0], rows.at(-1)]
  }
  expect(drawn()).toEqual(['0', '10'])
  await vi.runAllTimersAsync()
  expect(drawn()).toEqual(['0', '49'])
  await wrapper.setProps(rowsTo(10_000))
  expect(drawn()).toEqual(['0', '24'])
  const scroller = wrapper.get('.table-scroll').element
  scroller.scrollTop = 5_000 * rowHeight
  scroller.dispatchEvent(new Event('scroll'))
  await nextTick()
  expect(drawn()).toEqual(['4985', '5024'])
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
        columns: columns.map((column) => ({ ...column, render: () => '' })),
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

  const widths = (): string =>
    document.querySelector<HTMLElement>('table')!.style.getPropertyValue('--table-columns')
  const edges = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.table-edge')]
  const point = (type: string, clientX: number): void => {
    edges()[0]!.dispatchEvent(new PointerEvent(type, { clientX, button: 0, pointerId: 1 }))
  }

  it('follows the mouse to a width, which is applied at the end', async () => {
    show([
      { key: 'name', title: 'Name', width: '208px' },
      { key: 'runs', title: 'Runs', min: 180 },
    ])
    expect([widths(), edges().length]).toEqual(['208px minmax(180px, 1fr)', 1])
    point('pointerdown', 200)
    point('pointermove', 290.4)
    await nextTick()
    expect(widths()).toBe('290px minmax(180px, 1fr)')
    point('pointermove', -500)
    point('pointerup', -500)
    expect(onResize.mock.calls).toEqual([['name', 56]])
    await nextTick()
    expect(widths()).toBe('208px minmax(180px, 1fr)')
    point('dblclick', 200)
    expect(onResize.mock.lastCall).toEqual(['name', null])
  })
})

describe('keys', () => {
  beforeEach(() => {
    const rows = [0, 1, 2].map((row) => `<tr><th><a href="#${row}">${row}</a><button>Copy</button></th></tr>`)
    document.body.innerHTML = `<table><tbody>${rows.join('')}</tbody></table>`
    document.querySelector('tbody')!.addEventListener('keydown', (event) => moveBetweenRows(event, null))
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
