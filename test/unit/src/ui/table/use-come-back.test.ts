import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick, ref, shallowRef } from 'vue'
import { useComeBack } from '@/ui/table/row-focus'

const rows = shallowRef<string[]>([])
const isShown = ref(false)
const draw = vi.fn()

const Table = defineComponent({
  setup() {
    const root = ref<HTMLElement | null>(null)
    useComeBack('letters', root, () => rows.value, draw)
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

beforeEach(async () => {
  rows.value = ['a', 'b']
  isShown.value = true
  wrapper = mount(() => isShown.value && h(Table), { attachTo: document.body })
  focusOn('b')
  isShown.value = false
  await show()
  // As vue-router keeps it after going back.
  history.replaceState({ forward: '/' }, '')
  isShown.value = true
  await nextTick()
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
