import { type SavedView, savedViewSchema, type ViewContent } from '@contract/cache'
import { beforeEach, expect, it } from 'vitest'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'
import { useViewsStore } from '@/stores/deployment-list/views'
import { appState, type FakeBridge } from '../../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let live: ReturnType<typeof useDeploymentsStore>
let cached: ReturnType<typeof useCachedDeploymentsStore>
let store: ReturnType<typeof useViewsStore>

beforeEach(async () => {
  ;({ bridge, app } = startApp())
  live = useDeploymentsStore()
  cached = useCachedDeploymentsStore()
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
  void store.save(name, environmentId)
  return (await answerSave())[0]!
}

it('a view stores how the list is shown, and restores it', async () => {
  live.filter({
    name: 'agent',
    statuses: ['READY', 'NEW'],
    remoteReconciled: 'no',
    favourites: true,
    label: 'x',
  })
  live.setPageSize(20)
  cached.choose('cached')
  cached.setSort({ by: 'name', descending: false })
  const view = await saveAs(' Mine ')
  expect(view).toMatchObject({
    name: 'Mine',
    environmentId: 'a',
    data: 'cached',
    sort: { by: 'name', descending: false },
    pageSize: 20,
    filters: { name: 'agent', statuses: ['READY', 'NEW'], favourites: true, label: 'x' },
  })
  // The schema is strict: a further filter has to be in it too.
  expect(savedViewSchema.parse(view)).toEqual(view)
  expect(store.current?.id).toBe(view.id)

  live.filter({ name: '', statuses: [], remoteReconciled: null, favourites: false, label: null })
  live.setPageSize(50)
  cached.choose('live')
  expect(store.current).toBeNull()
  const plain = await saveAs('Plain')

  store.apply(view)
  expect(live.filters).toMatchObject({
    name: 'agent',
    statuses: ['READY', 'NEW'],
    favourites: true,
    label: 'x',
  })
  expect(live.pageSize).toBe(20)
  expect(cached.chosen).toBe('cached')
  expect(cached.sort).toEqual({ by: 'name', descending: false })
  expect(store.current?.id).toBe(view.id)

  const before = bridge.callsOf('deployments.page').length
  store.apply(plain)
  expect(cached.chosen).toBe('live')
  expect(bridge.callsOf('deployments.page')).toHaveLength(before + 1)
  expect(bridge.newest('deployments.page').input).toMatchObject({ query: { name_contains: null, limit: 50 } })
  expect(store.current?.id).toBe(plain.id)
})

it('saving under a name replaces its view in the same environment only; views of others are not offered', async () => {
  const own = await saveAs('Mine')
  const forAll = await saveAs('Mine', null)
  const again = await saveAs('Mine')
  expect(again.id).toBe(own.id)
  expect(forAll.id).not.toBe(own.id)
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
