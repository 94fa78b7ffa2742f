import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { h, nextTick } from 'vue'
import DataTable from '@/components/table/DataTable.vue'
import { withFocusedRow } from '@/components/table/focused-row'

const range = { startIndex: 30, endIndex: 32, overscan: 1, count: 60 }
const inView = [29, 30, 31, 32, 33]
const rows = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

describe('the rows to draw', () => {
  it.each([
    ['no focus', null, inView],
    ['the focus in view', 31, rows(21, 41)],
    ['the focus in the last row that is drawn', 33, rows(23, 43)],
    ['the focus far above', 15, [...rows(5, 25), ...inView]],
    ['the focus in the first row', 0, [...rows(0, 10), ...inView]],
    ['the focus in the last row', 59, [...inView, ...rows(49, 59)]],
    ['the focus in a row that is gone', 60, inView],
  ])('with %s', (_case, focused, drawn) => {
    expect(withFocusedRow(range, focused)).toEqual(drawn)
  })
})

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
  afterEach(() => {
    wrapper.unmount()
    vi.restoreAllMocks()
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

  it('waits in the table for a row that is being read', async () => {
    await mountTable(longLists('abc'))
    focusOn('b')
    await show(longLists('x--'))
    expect(focus()).toBe('group')
    await show(longLists('xyz'))
    expect(focus()).toBe('y')
  })

  it('stays where the operator moved it while a row is being read', async () => {
    await mountTable(longLists('abc'))
    focusOn('b')
    await show(longLists('---'))
    document.body.insertAdjacentHTML('beforeend', '<button class="elsewhere">elsewhere</button>')
    const elsewhere = document.querySelector<HTMLElement>('.elsewhere')!
    elsewhere.focus()
    await show(longLists('xyz'))
    expect(focus()).toBe('elsewhere')
    elsewhere.remove()
  })

  it('stays with a row that is drawn at another place', async () => {
    await mountTable(shortLists('abc'))
    focusOn('a')
    await show(shortLists('bca'))
    expect(focus()).toBe('a')
  })
})
