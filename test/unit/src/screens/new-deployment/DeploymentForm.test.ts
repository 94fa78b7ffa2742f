import type { VueWrapper } from '@vue/test-utils'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useAppStore } from '@/stores/application/app'
import { useDraftsStore } from '@/stores/creation/drafts'
import { showForm } from '../../../../support/page/draft-stores'
import { startApp } from '../../../../support/page/start-app'

beforeEach(() => {
  startApp()
})

let screen: VueWrapper | undefined
afterEach(() => screen?.unmount())

/** Shows the form of the draft in view. */
function show() {
  const shown = showForm()
  screen = shown.screen
  return { set: (path: string[], value: string) => useDraftsStore().set(shown.entry, path, value) }
}

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
  show()
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

it.each([
  ['the only one known is entered', ['0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'], false, 'Repository URL'],
  [
    'of two, none is',
    ['0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10', '1c9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'],
    false,
  ],
  ['none is where the operator has left it empty', ['0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10'], true],
] as const)(
  'of the integrations %s',
  async (_case, integrations, isLeft, next: string = 'Integration ID') => {
    useAppStore().environment!.profile!.integrations = [...integrations]
    const { set } = show()
    if (isLeft) {
      field('Integration ID').focus()
      field('Integration ID').blur()
    }
    field('Name').focus()
    set(['name'], 'agent')
    enter()
    expect(focused()).toBe(next)
    await nextTick()
    expect(field('Integration ID').value).toBe(next === 'Repository URL' ? integrations[0] : '')
  },
)
