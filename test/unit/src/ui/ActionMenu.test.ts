import { flushPromises, mount } from '@vue/test-utils'
import { DropdownMenuRoot } from 'reka-ui'
import { beforeEach, expect, it, vi } from 'vitest'
import { h, ref } from 'vue'
import ActionMenu, { type MenuItem } from '@/ui/widgets/ActionMenu.vue'

const items: MenuItem[] = [
  { key: 'open', label: 'Open' },
  { key: 'clone', label: 'Clone', isDisabled: true },
  { key: 'copy', label: 'Copy', isSeparated: true },
  { key: 'wide', label: 'Wide', kind: 'checkbox' as const, isChecked: true },
].map((item) => ({ ...item, run: () => void chosen.push(item.key) }))
let opener: HTMLButtonElement
let chosen: string[]

beforeEach(async () => {
  document.body.innerHTML = '<button>Opener</button>'
  opener = document.querySelector('button')!
  chosen = []
  const isOpen = ref(true)
  const menu = () =>
    h(ActionMenu, {
      label: 'Row',
      items,
      at: { x: 10, y: 10 },
      returnTo: opener,
    })
  mount(
    () =>
      isOpen.value &&
      h(
        DropdownMenuRoot,
        { open: true, modal: false, 'onUpdate:open': (now: boolean) => (isOpen.value = now) },
        menu,
      ),
    { attachTo: document.body },
  )
  await flushPromises()
})

const active = (): string | null | undefined => document.activeElement?.textContent?.trim()
function press(key: string, more: KeyboardEventInit = {}): void {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  document.activeElement!.dispatchEvent(event)
}

it('is navigated with arrows, Home, End and letters, and wraps around', () => {
  const seen = ['ArrowUp', 'ArrowDown', 'End', 'Home', 'c'].map((key) => {
    press(key)
    return active()
  })
  expect(seen).toEqual(['Wide', 'Open', 'Wide', 'Open', 'Clone'])
})

it('runs an enabled item, not a disabled one, and returns the focus before that', async () => {
  press('ArrowDown')
  press('Enter')
  expect(chosen).toEqual([])
  press('ArrowDown')
  press('Enter')
  expect([chosen, document.activeElement]).toEqual([['copy'], opener])
  await flushPromises()
  expect(document.querySelector('[role=menu]')).toBeNull()
})

it('draws a long menu in steps, and opens at its current item', async () => {
  const idle: (() => void)[] = []
  vi.stubGlobal('requestIdleCallback', (work: () => void) => idle.push(work))
  vi.stubGlobal('cancelIdleCallback', () => undefined)
  const many = Array.from({ length: 70 }, (_, index) => ({
    ...{ key: String(index), label: `Item ${index}`, isCurrent: index === 35, run: () => undefined },
  }))
  const menu = () => h(ActionMenu, { label: 'Many', items: many })
  mount(() => h(DropdownMenuRoot, { open: true, modal: false }, menu), { attachTo: document.body })
  await flushPromises()
  expect(active()).toBe('Item 35')
  const drawn = (): number => document.querySelectorAll('[aria-label=Many] [role=menuitem]').length
  expect(drawn()).toBe(65)
  for (const work of idle.splice(0)) work()
  await flushPromises()
  expect(drawn()).toBe(70)
  vi.unstubAllGlobals()
})
