import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { useAppStore } from '@/stores/app'
import { appState, type FakeBridge, installFakeBridge } from '../fake-bridge'

let bridge: FakeBridge
let app: ReturnType<typeof useAppStore>

beforeEach(() => {
  bridge = installFakeBridge()
  setActivePinia(createPinia())
  app = useAppStore()
  app.state = appState('a')
})

it.each([
  ['available', 1],
  ['locked', 0],
])('a keychain that is asked again and is %s refreshes the screen %i times', async (state, times) => {
  const refresh = vi.fn()
  app.refresh = refresh
  const asked = app.retryKeychain()
  await bridge.calls.at(-1)?.answer({ state, message: null })
  await asked
  expect(refresh).toHaveBeenCalledTimes(times)
})
