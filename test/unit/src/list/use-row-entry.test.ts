import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick } from 'vue'
import { useRowEntry } from '@/features/list/selection'
import { useDeploymentsStore } from '@/features/list/deployments'
import { type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

const Screen = defineComponent({
  setup() {
    useRowEntry(() => document.querySelector('a')?.focus())
    return () => [h('div', { 'data-screen-search': '' }, h('input')), h('a', { href: '#row' }, 'first row')]
  },
})

let bridge: FakeBridge
let search: HTMLInputElement
let row: HTMLAnchorElement
let keysInRow: string[]
let clicks: number

const newest = () => bridge.newest('deployments.page')
const found = { environmentId: 'a', offset: 0, received: 0, deployments: [], unreadable: [], end: 'short' }

function press(key: string): void {
  document.activeElement!.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
  )
}

beforeEach(() => {
  ;({ bridge } = startApp())
  mount(Screen, { attachTo: document.body })
  search = document.querySelector('input')!
  row = document.querySelector('a')!
  keysInRow = []
  clicks = 0
  row.addEventListener('keydown', ({ key }) => keysInRow.push(key))
  row.addEventListener('click', (event) => {
    event.preventDefault()
    clicks += 1
  })
  search.focus()
  useDeploymentsStore().filter({ name: 'agent' }, 'pause')
})

it('acts on the row to which a key before has moved the focus, as a table does a moment later', async () => {
  const second = document.createElement('a')
  second.href = '#second'
  row.after(second)
  const opened = vi.fn((event: Event) => event.preventDefault())
  second.addEventListener('click', opened)
  row.addEventListener('keydown', () => void nextTick(() => second.focus()))
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) press(key)
  await settled()
  await newest().answer(found)
  await settled()
  expect({ keysInRow, clicks }).toEqual({ keysInRow: ['ArrowDown'], clicks: 0 })
  expect(opened).toHaveBeenCalledOnce()
})
