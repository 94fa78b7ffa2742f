import { describe, beforeEach, expect, it } from 'vitest'
import { useAppStore } from '@/stores/application/app'
import { useDeploymentPanelStore } from '@/stores/deployment-detail/deployment-panel'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { appState, type FakeBridge } from '../../../../support/page/fake-bridge'
import { startApp, stubWindowWidth } from '../../../../support/page/start-app'
import type { DeploymentSummary } from '@contract'
import { chunkSize, type Chunks } from '@/stores/deployment-list/cached-deployments'
import { type Neighbours, neighboursInCache } from '@/stores/deployment-detail/neighbours'

describe('the panel', () => {
  let bridge: FakeBridge
  let panel: ReturnType<typeof useDeploymentPanelStore>

  beforeEach(() => {
    stubWindowWidth(true)
    bridge = startApp().bridge
    panel = useDeploymentPanelStore()
  })

  const last = (name: string) => bridge.callsOf(name).at(-1)

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

  it('forgets its deployment in another environment', async () => {
    await showList('1')
    panel.show('1')
    useAppStore().state = appState('b')
    expect([panel.id, panel.row, panel.isOpen, panel.isShown]).toEqual([null, null, true, false])
  })
})

describe('its neighbours', () => {
  const row = (id: string) => ({ id, gone_at: null }) as DeploymentSummary & { gone_at: null }
  const ids = ({ previous, next }: Neighbours) => [previous?.id, next?.id]
  const own = (found: Neighbours) => found.own?.id

  it('finds them in the cached list, even across chunks, as far as it was read', () => {
    const chunk = (first: number, count: number) =>
      [first, Array.from({ length: count }, (_, index) => row(String(first + index)))] as const
    const chunks = new Map([chunk(chunkSize, 5), chunk(0, chunkSize)]) as unknown as Chunks
    expect(ids(neighboursInCache('99', chunks))).toEqual(['98', '100'])
    expect(ids(neighboursInCache('100', chunks))).toEqual(['99', '101'])
    expect(ids(neighboursInCache('104', chunks))).toEqual(['103', undefined])
    expect(ids(neighboursInCache('0', chunks))).toEqual([undefined, '1'])
    expect(ids(neighboursInCache('x', chunks))).toEqual([undefined, undefined])
    expect(['100', 'x'].map((id) => own(neighboursInCache(id, chunks)))).toEqual(['100', undefined])
  })
})
