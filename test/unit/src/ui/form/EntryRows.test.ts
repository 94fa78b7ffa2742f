import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { h, reactive } from 'vue'
import EntryRows from '@/ui/form/EntryRows.vue'

function mountRows(count: number) {
  const rows = reactive(Array.from({ length: count }, (_, index) => ({ name: `row ${index}` })))
  const wrapper = mount(EntryRows, {
    attachTo: document.body,
    props: {
      rows,
      columns: '1fr',
      addLabel: 'Add row',
      removeLabel: 'Remove row',
      onAdd: () => rows.push({ name: '' }),
      onRemove: (index: number) => rows.splice(index, 1),
    },
    slots: { default: ({ index }: { index: number }) => h('input', { value: rows[index]?.name }) },
  })
  const drawn = (): string[] => wrapper.findAll('input').map(({ element }) => element.value)
  return { rows, drawn }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))

it('draws the first rows of a long list at once, and the others over time', async () => {
  const { rows, drawn } = mountRows(35)
  expect(drawn()).toEqual(rows.slice(0, 25).map(({ name }) => name))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(drawn()).toEqual(rows.map(({ name }) => name))
  rows.push(...Array.from({ length: 15 }, (_, index) => ({ name: `more ${index}` })))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(drawn()).toEqual(rows.map(({ name }) => name))
})
