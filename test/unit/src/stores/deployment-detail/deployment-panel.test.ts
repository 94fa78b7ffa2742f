import type { CachedPage } from '@contract/cache'
import { nextTick } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useAppStore } from '@/stores/application/app'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useChoicesStore } from '@/stores/application/choices'
import { useDeploymentPanelStore } from '@/stores/deployment-detail/deployment-panel'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { startApp, stubWindowWidth } from '../../../../support/page/start-app'

let bridge: FakeBridge
let panel: ReturnType<typeof useDeploymentPanelStore>

beforeEach(() => {
  stubWindowWidth(true)
  bridge = startApp().bridge
  panel = useDeploymentPanelStore()
})
afterEach(() => vi.unstubAllGlobals())

const last = (name: string) => bridge.calls.filter((call) => call.name === name).at(-1)

const readAt = '2026-11-23T12:00:00.000Z'

async function answerPage(...ids: string[]): Promise<void> {
  await last('deployments.page')!.answer({
    environmentId: 'a',
    offset: 0,
    received: ids.length,
    deployments: ids.map((id) => summaryOf(id)),
    unreadable: [],
    nextOffset: ids.length,
    end: null,
    fetchedAt: readAt,
  })
}

async function showList(...ids: string[]): Promise<void> {
  void useDeploymentsStore().restart()
  await answerPage(...ids)
}

const around = () => [panel.neighbours.previous?.id, panel.row?.id, panel.neighbours.next?.id]

it('shows a row of the live list with those around it, and keeps it when the list moves on', async () => {
  await showList('1', '2', '3')
  panel.show('2')
  expect([panel.isShown, around(), panel.rowReadAt]).toEqual([true, ['1', '2', '3'], readAt])
  await showList('4', '5')
  expect([around(), panel.rowReadAt]).toEqual([[undefined, '2', undefined], null])
  panel.show('not listed')
  expect(panel.row).toBeNull()
})

it('shows a row of the cached list, which no service has just answered', async () => {
  await showList('1', '2')
  panel.show('2')
  useCachedDeploymentsStore().choose('cached')
  await nextTick()
  const deployments = ['2', '9'].map((id) => ({ ...summaryOf(id), gone_at: null, fetched_at: readAt }))
  const cached = { snapshot: 's', total: 2, offset: 0, deployments, cache: null } as unknown as CachedPage
  await last('cache.page')!.answer(cached)
  expect([around(), panel.row?.fetched_at, panel.rowReadAt]).toEqual([[undefined, '2', '9'], readAt, null])
})

it('is open at the next start if it was left open, and shown once it has a deployment', async () => {
  const choices = useChoicesStore()
  const starting = choices.start()
  await bridge.calls.at(-1)!.answer({ lists: {}, panel: { isOpen: true, width: 600 } })
  await starting
  expect([panel.isOpen, panel.isShown, panel.width, panel.id]).toEqual([true, false, 600, null])
  const saved = () => last('choices.save')?.input.panel
  panel.setWidth(9_999.5)
  expect(saved()).toEqual({ isOpen: true, width: 720 })
  panel.show('1')
  expect(panel.isShown).toBe(true)
  panel.close()
  expect(saved()).toEqual({ isOpen: false, width: 720 })
})

it('forgets its deployment in another environment', async () => {
  await showList('1')
  panel.show('1')
  useAppStore().state = appState('b')
  expect([panel.id, panel.row, panel.isOpen, panel.isShown]).toEqual([null, null, true, false])
})
