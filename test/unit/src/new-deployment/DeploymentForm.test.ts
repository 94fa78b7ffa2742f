import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { useDraftsStore } from '@/features/new-deployment/drafts'
import ReviewDialog from '@/features/new-deployment/ReviewDialog.vue'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { showForm } from '../../../support/page/draft-stores'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge

beforeEach(() => {
  bridge = startApp().bridge
})

/** The label of the field that has the focus. */
const focused = (): string | undefined =>
  (document.activeElement as HTMLInputElement).labels?.[0]?.textContent ?? undefined

const field = (label: string): HTMLInputElement =>
  [...document.querySelectorAll('input')].find((one) => one.labels?.[0]?.textContent === label)!

/** Presses Enter where the focus is. Returns whether that submits the form. */
function enter(init: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...init })
  return document.activeElement!.dispatchEvent(event)
}

it('moves on with Enter in a text field and wraps around, and ignores every other Enter', async () => {
  showForm()
  expect(document.activeElement).toBe(document.body)
  field('Install command').focus()
  expect(enter()).toBe(false)
  expect(focused()).toBe('Name')
  expect(enter({ ctrlKey: true })).toBe(true)
  expect(enter({ isComposing: true })).toBe(true)
  expect(focused()).toBe('Name')
  expect(enter()).toBe(false)
  // A combobox uses Enter for its list.
  expect(focused()).toBe('Integration ID')
  expect(enter()).toBe(false)
  await nextTick()
  expect(focused()).toBe('Integration ID')
  expect(document.activeElement?.getAttribute('aria-expanded')).toBe('true')
})

it('gives up a review once its environment leads elsewhere: what it would send was entered for another', async () => {
  const { entry, screen } = showForm()
  void useAppStore().start()
  bridge.emit('app.state', appState('a'))
  const store = useDraftsStore()
  store.set(entry, ['name'], 'agent')
  store.set(entry, ['source'], 'internal_docker')
  store.set(entry, ['source_revision_config', 'image_uri'], 'internal/agent:1')
  await screen.get('form').trigger('submit')
  expect(screen.findComponent(ReviewDialog).exists()).toBe(true)
  const state = appState('a')
  state.environments[0]!.service = 'elsewhere'
  bridge.emit('app.state', state)
  await nextTick()
  expect(screen.findComponent(ReviewDialog).exists()).toBe(false)
})
