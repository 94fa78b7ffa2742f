import type { CachedPage } from '@contract/cache'
import { mount } from '@vue/test-utils'
import { beforeEach, expect, it } from 'vitest'
import { nextTick } from 'vue'
import PaletteSource from '@/components/commands/PaletteSource.vue'
import { useCommandsStore } from '@/stores/application/commands'
import { usePaletteStore } from '@/stores/application/palette'
import { type FakeBridge } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

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
  await answer(bridge.calls.find(({ name }) => name === 'cache.page')!)
  await nextTick()
}

it('says how many of the matches are shown, and how old the cache is', async () => {
  const synchronisedAt = new Date(Date.now() - 3 * 86_400_000).toISOString()
  await search((call) => call.answer(page(40, { synchronisedAt })))
  const text = show('agent', 13, 12).text().replace(/\s+/g, ' ')
  expect(text).toContain('12 of 40 deployments; type more to narrow them down.')
  expect(text).toContain('Deployments from the cache of a, synced 3 days ago')
})

it('says that nothing matches only once the cache has answered', async () => {
  palette.search('agent')
  const source = show('agent')
  expect(source.text()).toContain('Searching…')
  await bridge.calls.find(({ name }) => name === 'cache.page')!.answer(page(0, {}))
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

it('says why the cache could not be searched', async () => {
  await search((call) => call.fail({ message: 'The disk is full.' }))
  expect(show('agent').get('[role=alert]').text()).toBe("The cache couldn't be searched. The disk is full.")
})

it('shows what the cache received since the start', async () => {
  const source = show('')
  const request = bridge.calls.filter(({ name }) => name === 'sync.state').at(-1)!
  await request.answer({
    environmentId: 'a',
    progress: null,
    cache: page(0, { newestAt: new Date().toISOString() }).cache,
  })
  expect(source.text()).toContain('Deployments from the cache of a, not synced yet, last filled')
})

it('says what to do if nothing is cached', async () => {
  await search((call) => call.answer(page(0, { deployments: 0 })))
  expect(show('agent').text()).toContain('Nothing of a is cached yet: sync it')
})
