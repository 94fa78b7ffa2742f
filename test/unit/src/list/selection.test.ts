import { nextTick } from 'vue'
import { expect, it } from 'vitest'
import type { DeploymentSummary } from '@contract'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useSelectionStore } from '@/features/list/selection'
import { deploymentPage } from '../../../support/builders/deployment-answers'
import { appState } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

const row = (id: string, image_uri = 'one') =>
  ({ id, name: id, status: 'READY', image_uri }) as DeploymentSummary
const pageOf = (...deployments: DeploymentSummary[]) => deploymentPage(deployments)

it('keeps the selection across pages, as last read, but not across environments', async () => {
  const bridge = startApp().bridge
  const list = useDeploymentsStore()
  const selected = useSelectionStore()
  const load = async (...deployments: DeploymentSummary[]): Promise<void> => {
    const loading = list.live.restart()
    await bridge.calls.at(-1)!.answer(pageOf(...deployments))
    await loading
    await nextTick()
  }
  await load(row('1'), row('2'))
  selected.only(list.live.page!.deployments[0]!)
  await load(row('3'))
  selected.toggle(list.live.page!.deployments[0]!)
  await load(row('1', 'two'), row('2'))
  expect(selected.rows.map(({ id, image_uri }) => `${id} ${image_uri}`)).toEqual(['1 two', '3 one'])

  useAppStore().state = appState('b')
  expect(selected.count).toBe(0)
})
