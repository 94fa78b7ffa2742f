import { beforeEach, expect, it } from 'vitest'
import { useExportStore } from '@/stores/deployment-list/export'
import { type FakeBridge, settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let store: ReturnType<typeof useExportStore>

beforeEach(() => {
  bridge = startApp().bridge
  store = useExportStore()
})

const exports = () => bridge.calls.filter(({ name }) => name === 'deployments.export')

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
