import { createPinia, setActivePinia } from 'pinia'
import { useAppStore } from '@/stores/application/app'
import { appState, type FakeBridge, installFakeBridge } from './fake-bridge'

export type AppStore = ReturnType<typeof useAppStore>

/** Starts a test in environment "a", with new stores and a bridge whose calls it answers. */
export function startApp(): { bridge: FakeBridge; app: AppStore } {
  const bridge = installFakeBridge()
  setActivePinia(createPinia())
  const app = useAppStore()
  app.state = appState('a')
  return { bridge, app }
}
