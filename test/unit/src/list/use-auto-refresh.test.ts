import { mount } from '@vue/test-utils'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, nextTick } from 'vue'
import { useAutoRefresh, useRereadsStore } from '@/features/list/rereads'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from '@/features/list/deployments'
import { deploymentPage, summaryOf } from '../../../support/builders/deployment-answers'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge

const pages = () => bridge.callsOf('deployments.page')
const page = () => deploymentPage([summaryOf('1')], { fetchedAt: new Date().toISOString() })

beforeEach(async () => {
  vi.useFakeTimers()
  bridge = startApp().bridge
  void useDeploymentsStore().open()
  await pages().at(-1)!.answer(page())
  mount(defineComponent({ setup: () => (useAutoRefresh(), () => null) }))
})

it('reads again every 15 seconds, counted from the end of the previous read', async () => {
  vi.advanceTimersByTime(15_000)
  expect(pages()).toHaveLength(2)
  vi.advanceTimersByTime(30_000)
  expect(pages()).toHaveLength(2)
  await pages().at(-1)!.answer(page())
  vi.advanceTimersByTime(15_000)
  expect(pages()).toHaveLength(3)
})

it('stops while the window is hidden, and resumes once it is shown', () => {
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  vi.advanceTimersByTime(60_000)
  expect(pages()).toHaveLength(1)
  visibility.mockReturnValue('visible')
  vi.advanceTimersByTime(1_000)
  expect(pages()).toHaveLength(2)
})

it('stops while the service is unreachable, and if the operator turned it off', async () => {
  const offline = { environmentId: 'a', state: 'offline' as const, at: null, reason: null }
  useAppStore().state = { ...appState('a'), connection: offline }
  await nextTick()
  vi.advanceTimersByTime(60_000)
  expect(pages()).toHaveLength(1)
  useRereadsStore().setEvery(0)
  useAppStore().state = appState('a')
  await nextTick()
  const before = pages().length
  vi.advanceTimersByTime(60_000)
  expect(pages()).toHaveLength(before)
})
