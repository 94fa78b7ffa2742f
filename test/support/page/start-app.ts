import type { DeploymentPage } from '@contract'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from '@/features/list/deployments'
import { createPinia, setActivePinia } from 'pinia'
import { vi } from 'vitest'
import { type FakeBridge, appState, installFakeBridge } from './fake-bridge'

export type AppStore = ReturnType<typeof useAppStore>

/** Starts a test in environment "a", with new stores and a bridge whose calls it answers. */
export function startApp(): { bridge: FakeBridge; app: AppStore } {
  const bridge = installFakeBridge()
  setActivePinia(createPinia())
  const app = useAppStore()
  app.state = appState('a')
  return { bridge, app }
}

/** Has the live list show a page. */
export async function showPage(bridge: FakeBridge, page: DeploymentPage): Promise<void> {
  void useDeploymentsStore().live.restart()
  await bridge.newest('deployments.page').answer(page)
}

/** Replaces media queries by one that a test changes. `vi.unstubAllGlobals()` brings them back. */
export function stubWindowWidth(isWide: boolean): { isWide: boolean } {
  const query = Object.assign(new EventTarget(), { matches: isWide })
  vi.stubGlobal('matchMedia', () => query)
  return {
    get isWide() {
      return query.matches
    },
    set isWide(wide) {
      query.matches = wide
      query.dispatchEvent(Object.assign(new Event('change'), { matches: wide }))
    },
  }
}
