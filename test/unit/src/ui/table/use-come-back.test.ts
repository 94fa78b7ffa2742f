import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick, ref, shallowRef } from 'vue'
import { useComeBack } from '@/ui/table/row-focus'

const rows = shallowRef<string[]>([])
const draw = vi.fn()

/** A table whose row "b" was left. */
const Table = defineComponent({
  setup() {
    const root = ref<HTMLElement | null>(null)
    useComeBack({
      root,
      rows: () => rows.value,
      draw,
      left: { key: 'b', control: 0 },
      onLeave: () => undefined,
    })
    return () =>
      h('div', { ref: root }, [
        h(
          'table',
          rows.value.map((key) => h('tr', { key, 'data-key': key }, h('td', h('a', { href: '#' }, key)))),
        ),
      ])
  },
})

let wrapper: ReturnType<typeof mount>
const focus = (): string | null | undefined => document.activeElement?.textContent
const focusOn = (key: string): void => wrapper.get<HTMLElement>(`[data-key="${key}"] a`).element.focus()

async function show(...keys: string[]): Promise<void> {
  rows.value = keys
  await nextTick()
}

beforeEach(() => {
  // As vue-router keeps it after going back.
  history.replaceState({ forward: '/' }, '')
  rows.value = []
  wrapper = mount(Table, { attachTo: document.body })
})

afterEach(() => history.replaceState(null, ''))

it('returns the focus to the row that was left, as soon as it is there', async () => {
  await show('a', 'c')
  expect(draw).toHaveBeenCalledWith('b')
  await show('a', 'b', 'c')
  expect(focus()).toBe('b')
})

it('leaves the focus where the operator has moved it', async () => {
  await show('a', 'c')
  focusOn('c')
  await show('a', 'b', 'c')
  expect(focus()).toBe('c')
})
