import { mount, type VueWrapper } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { type EnvironmentDraft, newDraft } from '@/features/environments/environment-draft'
import EnvironmentDialog from '@/features/environments/EnvironmentDialog.vue'
import { type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
beforeEach(() => {
  bridge = startApp().bridge
})

let wrapper: VueWrapper | undefined

async function open(more: Partial<EnvironmentDraft> = {}): Promise<void> {
  const filled = { ...newDraft([]), name: 'Staging', baseUrl: 'https://staging.example.com', ...more }
  wrapper = mount(EnvironmentDialog, { props: { initial: filled }, attachTo: document.body })
  await nextTick()
}

const dialog = (): HTMLElement => document.querySelector<HTMLElement>('[role=dialog]')!
const button = (text: string): HTMLButtonElement =>
  [...dialog().querySelectorAll('button')].find((one) => one.textContent.trim() === text)!
const isOpen = (): boolean => button('Advanced').getAttribute('aria-expanded') === 'true'

async function press(text: string): Promise<void> {
  button(text).click()
  await settled()
  await nextTick()
}

const manual = { ...newDraft([]).proxy, mode: 'manual' as const }

it('opens Advanced for an error in it, and counts those once it is closed again', async () => {
  await open({ proxy: manual })
  await press('Advanced')
  expect(isOpen()).toBe(false)
  await press('Save')
  expect(isOpen()).toBe(true)
  await press('Advanced')
  expect(dialog().querySelector('[aria-label=Advanced]')?.textContent).toContain('2 errors')
  expect(bridge.callsOf('environments.save')).toEqual([])
})

it('says before saving that a change ends the history, if there is any', async () => {
  const note = (): string => dialog().querySelector('.account-note')?.textContent ?? ''
  await open({ id: 'one' })
  await wrapper!.findComponent({ name: 'TextField' }).setValue('Renamed')
  expect(bridge.calls.map(({ name }) => name)).not.toContain('history.state')

  const input = [...dialog().querySelectorAll('input')].find(({ value }) => value.startsWith('https:'))!
  input.value = 'https://elsewhere.example.com'
  input.dispatchEvent(new Event('input'))
  await settled()
  const [call] = bridge.callsOf('history.state')
  await call!.answer({ days: 90, bytes: 9_000, entries: 301, since: '2026-08-12T08:00:00Z' })
  await settled()
  expect(note()).toContain('saving ends the history of this environment: 301 entries since')
})
