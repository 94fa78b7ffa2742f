import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h, nextTick, ref } from 'vue'
import { useDeploymentPanel, useDeploymentPanelStore } from '@/features/list/deployment-panel'
import { deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'
import { showPage, startApp, stubWindowWidth } from '../../../support/page/start-app'

let panel: ReturnType<typeof useDeploymentPanelStore>
/** The keys that reach the rows. */
const passed: string[] = []

const rowOf = (id: string, index: number) =>
  h(
    'tr',
    { key: id, 'aria-rowindex': index + 2, 'aria-current': (panel.isShown && panel.id === id) || undefined },
    [
      h('td', [h('input', { type: 'checkbox', class: 'table-check' })]),
      h('th', [h('a', { href: `#/deployments/${id}`, class: 'name-link' }, id)]),
    ],
  )

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
  stubWindowWidth(true)
  const { bridge } = startApp()
  await showPage(bridge, deploymentPage(['1', '2', '3'].map((id) => summaryOf(id))))
  panel = useDeploymentPanelStore()
  mount(Screen, { attachTo: document.body })
  // Vue ignores an event of the millisecond in which its second listener was attached.
  const mountedAt = Date.now()
  await vi.waitUntil(() => Date.now() > mountedAt, { interval: 1 })
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

it('follows the focus also while the list lacks the deployment that it shows', () => {
  panel.show('9')
  find('.table-scroll').focus()
  link('2').focus()
  expect(panel.id).toBe('2')
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
