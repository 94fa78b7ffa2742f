import { mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick, ref } from 'vue'
import { useDeploymentPanel } from '@/screens/deployments/use-deployment-panel'
import { useCommandsStore } from '@/stores/application/commands'
import { useDeploymentPanelStore } from '@/stores/deployment-detail/deployment-panel'
import { startApp, stubWindowWidth } from '../../../../../support/page/start-app'

let panel: ReturnType<typeof useDeploymentPanelStore>
let size: ReturnType<typeof stubWindowWidth>
let screen: ReturnType<typeof mount>
/** The keys that reach the rows. */
const passed: string[] = []

const rowOf = (id: string) =>
  h('tr', { key: id, 'aria-current': (panel.isShown && panel.id === id) || undefined }, [
    h('td', [h('input', { type: 'checkbox', class: 'table-check' })]),
    h('th', [
      h('button', { class: 'favourite-icon', 'data-id': id }),
      h('a', { href: `#/deployments/${id}`, class: 'name-link' }, id),
    ]),
  ])

const Screen = defineComponent({
  setup() {
    const root = ref<HTMLElement | null>(null)
    const { onKeydown, onFocusin } = useDeploymentPanel(root)
    return () =>
      h('div', { ref: root, onKeydownCapture: onKeydown, onFocusin }, [
        h('div', { class: 'table-scroll', tabindex: 0 }, [
          h('table', { onKeydown: ({ key }: KeyboardEvent) => passed.push(key) }, [
            h('tbody', ['1', '2', '3'].map(rowOf)),
          ]),
        ]),
        panel.isShown
          ? h('aside', [
              h('div', { class: 'panel-content', tabindex: -1 }, [
                h('button', { class: 'inside' }),
                h('textarea'),
              ]),
            ])
          : null,
      ])
  },
})

beforeEach(async () => {
  passed.length = 0
  size = stubWindowWidth(true)
  startApp()
  panel = useDeploymentPanelStore()
  screen = mount(Screen, { attachTo: document.body })
  // Vue ignores an event of the millisecond in which its second listener was attached.
  const mountedAt = Date.now()
  await vi.waitUntil(() => Date.now() > mountedAt, { interval: 1 })
})
afterEach(() => {
  screen.unmount()
  vi.unstubAllGlobals()
})

const find = <Found extends HTMLElement>(selector: string): Found => document.querySelector<Found>(selector)!
const link = (id: string) => find(`a[href$="/${id}"]`)

/** Presses a key where the focus is. Returns whether the element handles it itself, as a link that opens its page. */
async function press(key: string, more: KeyboardEventInit = {}): Promise<boolean> {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })
  document.activeElement!.dispatchEvent(event)
  await nextTick()
  return !event.defaultPrevented
}

it('shows a row on Enter, and opens its page on the next Enter', async () => {
  link('2').focus()
  expect(panel.isShown).toBe(false)
  expect(await press('Enter')).toBe(false)
  expect([panel.isShown, panel.id, passed]).toEqual([true, '2', []])
  expect(await press('Enter')).toBe(true)
  expect(passed).toEqual(['Enter'])
})

it('follows the focus from row to row while it is open', async () => {
  link('1').focus()
  await press('Enter')
  link('3').focus()
  expect(panel.id).toBe('3')
  expect(await press('Enter'), 'its page').toBe(true)
  find('input').focus()
  expect(panel.id).toBe('1')
  await press('Escape')
  link('2').focus()
  expect(panel.id).toBe('1')
})

it('closes on Escape before anything else does, and keeps the focus', async () => {
  link('2').focus()
  expect(await press('Escape')).toBe(true)
  await press('Enter')
  expect(await press('Escape')).toBe(false)
  expect([panel.isShown, passed]).toEqual([false, ['Escape']])
  expect(document.activeElement).toBe(link('2'))
})

it('ignores an Escape that is held down since it closed something else', async () => {
  link('2').focus()
  await press('Enter')
  expect(await press('Escape', { repeat: true })).toBe(false)
  expect([panel.isShown, passed]).toEqual([true, []])
  await press('Escape')
  expect(await press('Escape', { repeat: true }), 'would clear the selection').toBe(false)
  expect([panel.isShown, passed]).toEqual([false, []])
})

it('moves the focus from the panel to the row, however the panel is closed', async () => {
  const narrow = (): void => {
    size.isWide = false
  }
  for (const close of [() => void press('Escape'), panel.close, narrow]) {
    size.isWide = true
    panel.show('2')
    await nextTick()
    find('.inside').focus()
    close()
    await nextTick()
    await nextTick()
    expect(document.activeElement).toBe(link('2'))
  }
})

it('moves between the panel and its row with F6, wherever the focus is in them', async () => {
  const commands = useCommandsStore()
  expect(commands.shortcuts['switch-pane']).toEqual(['F6', 'Shift+F6'])
  expect(commands.run('switch-pane'), 'without a panel').toBe(false)
  link('2').focus()
  await press('Enter')
  expect(commands.run('switch-pane')).toBe(true)
  expect(document.activeElement).toBe(find('.panel-content'))
  commands.run('switch-pane')
  expect(document.activeElement).toBe(link('2'))
  find('.inside').focus()
  commands.run('switch-pane')
  expect(document.activeElement).toBe(link('2'))
  panel.show('elsewhere')
  await nextTick()
  find('.inside').focus()
  commands.run('switch-pane')
  expect(document.activeElement, 'its row isn’t in the list').toBe(find('.table-scroll'))
})
