import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { h, nextTick } from 'vue'
import DataTable from '@/components/table/DataTable.vue'

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

  it('stays with a row that is drawn at another place', async () => {
    await mountTable(shortLists('abc'))
    focusOn('a')
    await show(shortLists('bca'))
    expect(focus()).toBe('a')
  })
})
