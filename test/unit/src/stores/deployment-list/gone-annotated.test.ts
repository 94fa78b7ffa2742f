import type { Annotation } from '@contract'
import { nextTick } from 'vue'
import { beforeEach, expect, it } from 'vitest'
import { useAnnotationsStore } from '@/stores/annotations/annotations'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useGoneAnnotatedStore } from '@/stores/deployment-list/gone-annotated'
import { deploymentPage } from '../../../../support/builders/deployment-answers'
import { summaryOf } from '../../../../support/builders/deployment-summary'
import { appState, type FakeBridge, type PendingCall } from '../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let list: ReturnType<typeof useDeploymentsStore>
let store: ReturnType<typeof useGoneAnnotatedStore>

const favourite = (id: string): Annotation => ({
  deploymentId: id,
  name: `agent-${id}`,
  favourite: true,
  labels: [],
  note: '',
})

beforeEach(async () => {
  ;({ bridge, app } = startApp())
  list = useDeploymentsStore()
  store = useGoneAnnotatedStore()
  void useAnnotationsStore().open()
  await bridge.calls.find(({ name }) => name === 'annotations.list')!.answer(['1', '2'].map(favourite))
})

/** The lookup of the favourites: without other filters, and with as many rows as requested. */
const look = (): PendingCall => {
  const calls = bridge.calls.filter(({ name }) => name === 'deployments.page')
  return calls.filter(({ input }) => !('name_contains' in (input.query as object))).at(-1)!
}

const answer = (call: PendingCall, ...ids: string[]): Promise<void> =>
  call.answer(deploymentPage(ids.map((id) => summaryOf(id))))

it('a favourite that the service no longer has is named, whatever else is filtered by', async () => {
  list.filter({ favourites: true, name: 'no such name' })
  await nextTick()
  expect(look().input.query).toEqual({ deployment_ids: '1,2', limit: 2, offset: 0 })
  await answer(look(), '1')
  await answer(look())
  expect(store.gone).toEqual([favourite('2')])
  list.filter({ favourites: false })
  await nextTick()
  expect(store.gone).toEqual([])
})

it('nothing is reported as gone if the service could not be asked, or of another environment', async () => {
  list.filter({ favourites: true })
  await nextTick()
  await look().fail({ code: 'offline' })
  expect(store.gone).toEqual([])
  app.state = appState('b')
  await nextTick()
  expect(store.gone).toEqual([])
})
