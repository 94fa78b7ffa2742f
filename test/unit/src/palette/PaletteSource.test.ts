import type { CachedPage } from '@contract/cache'
import { mount } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import PaletteSource from '@/features/palette/PaletteSource.vue'
import { useCommandsStore } from '@/app/commands'
import { usePaletteStore } from '@/features/palette/palette'
import { type FakeBridge } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let palette: ReturnType<typeof usePaletteStore>

beforeEach(() => {
  bridge = startApp().bridge
  palette = usePaletteStore()
  palette.open()
})

const show = (text: string, count = 0, found = 0) => mount(PaletteSource, { props: { text, count, found } })
const page = (total: number, cache: Partial<CachedPage['cache']>): Partial<CachedPage> => ({
  total,
  deployments: [],
  cache: { deployments: 40, gone: 0, synchronisedAt: null, newestAt: null, ...cache },
})

async function search(answer: (call: FakeBridge['calls'][number]) => Promise<void>): Promise<void> {
  palette.search('agent')
  await answer(bridge.callsOf('cache.page')[0]!)
  await nextTick()
}

it('says that nothing matches only once the cache has answered', async () => {
  palette.search('agent')
  const source = show('agent')
  expect(source.text()).toContain('Searching…')
  await bridge.callsOf('cache.page')[0]!.answer(page(0, {}))
  expect(source.text()).toContain('Nothing matches.')
})

it('says where a command is that is not available here', async () => {
  await search((call) => call.answer(page(0, {})))
  expect(show('clone dep').text()).toContain(
    'Nothing matches. For "Clone deployment", open a deployment first.',
  )
  expect(show('watch this').text()).toContain('For "Watch this list", open Deployments first.')
  expect(show('agent').text()).not.toContain('first')
  // On the list, without filters.
  useCommandsStore().handle(
    'clear-filters',
    () => undefined,
    () => false,
  )
  useCommandsStore().handle('save-view', () => undefined)
  expect(show('clear filters').text()).toBe(show('agent').text())
})
