import { type SavedView, type ViewContent } from '@contract/cache'
import { beforeEach, expect, it } from 'vitest'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useViewsStore } from '@/features/list/views'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let store: ReturnType<typeof useViewsStore>

beforeEach(async () => {
  ;({ bridge, app } = startApp())
  store = useViewsStore()
  void store.open()
  await bridge.newest('views.list').answer([])
})

/** Answers a save as the main process does. */
async function answerSave(): Promise<SavedView[]> {
  const call = bridge.newest('views.save')
  const { views } = call.input as { views: SavedView[] }
  const others = (store.all ?? []).filter(({ id }) => !views.some((view) => view.id === id))
  await call.answer([...others, ...views])
  return views
}

async function saveAs(name: string, environmentId: string | null = 'a'): Promise<SavedView> {
  const id = `${name} in ${environmentId}`
  void store.save([{ ...useDeploymentsStore().state(), id, environmentId, name }])
  return (await answerSave())[0]!
}

it('finds a view by its name in the same environment only; views of others are not offered', async () => {
  const own = await saveAs('Mine')
  const forAll = await saveAs('Mine', null)
  expect(store.named(' Mine ', 'a')).toEqual(own)
  expect(store.named('Mine', null)).toEqual(forAll)
  app.state = appState('b')
  expect(store.available.map(({ id }) => id)).toEqual([forAll.id])
})

it('views of a file are added under names that are free', async () => {
  const { id: _id, environmentId: _environment, ...content } = await saveAs('Mine')
  const file: ViewContent[] = [
    content,
    content,
    { ...content, name: 'x'.repeat(60) },
    { ...content, name: 'x'.repeat(60) },
  ]
  void store.add(file, 'a')
  const names = (await answerSave()).map(({ name }) => name)
  expect(names).toEqual(['Mine (2)', 'Mine (3)', 'x'.repeat(60), `${'x'.repeat(56)} (2)`])
  // One for all environments is offered beside that of this one.
  void store.add([content], null)
  expect((await answerSave())[0]!.name).toBe('Mine (4)')
})
