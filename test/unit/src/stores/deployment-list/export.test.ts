import { beforeEach, expect, it } from 'vitest'
import { useExportStore } from '@/stores/deployment-list/export'
import { appState, type FakeBridge, settled } from '../../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let store: ReturnType<typeof useExportStore>

beforeEach(() => {
  ;({ bridge, app } = startApp())
  store = useExportStore()
})

const exports = () => bridge.calls.filter(({ name }) => name === 'deployments.export')

it("doesn't confuse the export of the previous environment with one of this environment", async () => {
  const before = store.start()
  app.state = appState('b')
  expect(exports()[0]?.cancelled).toBe(true)
  const now = store.start()
  await exports()[0]!.answer({ path: '/a.csv' })
  expect(await before).toBe(false)
  await settled()
  expect(store.running).not.toBeNull()
  expect(exports().map(({ input }) => input.environmentId)).toEqual(['a', 'b'])
  await exports()[1]!.answer({ path: '/b.csv' })
  expect(await now).toBe(true)
  expect([store.result?.path, store.running]).toEqual(['/b.csv', null])
})

it.each([true, false])('reports how a cancelled export ended: saved %s', async (isSaved) => {
  const exported = store.start()
  await settled()
  store.cancel()
  expect(exports()[0]?.cancelled).toBe(true)
  await (isSaved ? exports()[0]!.answer({ path: '/a.csv' }) : exports()[0]!.fail({ code: 'cancelled' }))
  expect(await exported).toBe(isSaved)
  expect([store.result?.path, store.failure, store.running]).toEqual([
    isSaved ? '/a.csv' : undefined,
    null,
    null,
  ])
})
