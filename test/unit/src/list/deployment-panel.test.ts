import { describe, beforeEach, expect, it } from 'vitest'
import { useAppStore } from '@/app/stores/app'
import { neighboursOf, useDeploymentPanelStore } from '@/features/list/deployment-panel'
import { useDeploymentsStore } from '@/features/list/deployments'
import { summaryOf } from '../../../support/builders/deployment-answers'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { startApp, stubWindowWidth } from '../../../support/page/start-app'

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
    void useDeploymentsStore().live.restart()
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

it('its neighbours are those in the list, as far as that was read', () => {
  const rows = ['1', '2', null, '4'].map((id) => (id === null ? undefined : summaryOf(id)))
  const around = (id: string) => {
    const { previous, own, next } = neighboursOf(id, rows)
    return [previous, own, next].map((row) => row?.id)
  }
  expect(around('2')).toEqual(['1', '2', undefined])
  expect(around('4')).toEqual([undefined, '4', undefined])
  expect(around('x')).toEqual([undefined, undefined, undefined])
})
