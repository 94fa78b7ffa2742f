import { beforeEach, expect, it } from 'vitest'
import { useAppStore } from '@/app/stores/app'
import { usePaletteStore } from '@/features/palette/palette'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let palette: ReturnType<typeof usePaletteStore>
const searches = () => bridge.callsOf('cache.page')
const searched = () =>
  searches().map(({ input }) => (input.request as { query: { search: string } }).query.search)
const page = (total: number) => ({ total, deployments: [] })

beforeEach(() => {
  bridge = startApp().bridge
  palette = usePaletteStore()
  palette.open()
})

it('searches for one text at a time, then for the latest', async () => {
  for (const text of ['a', 'ag', ' age ']) void palette.search(text)
  expect(searched()).toEqual(['a'])
  await searches()[0]?.answer(page(3))
  expect(palette.page?.total).toBe(3)
  expect(searched()).toEqual(['a', 'age'])
  expect(palette.searching).toBe(true)
  await searches()[1]?.answer(page(1))
  expect([palette.page?.total, palette.searching]).toEqual([1, false])
})

it('ignores answers of another environment', async () => {
  void palette.search('x')
  await searches()[0]?.answer(page(3))
  void palette.search('a')
  useAppStore().state = appState('b')
  expect(palette.page).toBeNull()
  void palette.search('a')
  await searches()[1]?.answer(page(3))
  expect(palette.page).toBeNull()
  expect(searches()[2]?.input).toMatchObject({ environmentId: 'b' })
  await searches()[2]?.answer(page(1))
  expect(palette.page?.total).toBe(1)
})
