import type { Annotation } from '@contract'
import { beforeEach, expect, it } from 'vitest'
import { useAnnotationsStore } from '@/stores/annotations'
import { type FakeBridge } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

let bridge: FakeBridge
let store: ReturnType<typeof useAnnotationsStore>

beforeEach(() => {
  bridge = startApp().bridge
  store = useAnnotationsStore()
  void store.open()
})

const annotation = (deploymentId: string, more: Partial<Annotation> = {}): Annotation => ({
  deploymentId,
  name: deploymentId,
  favourite: false,
  labels: [],
  note: '',
  ...more,
})

it('a change shows once it is on the disk, and one that fails is reported and changes nothing', async () => {
  await bridge.newest('annotations.list').answer([])
  void store.toggle('d', 'agent')
  const { input } = bridge.newest('annotations.save')
  expect(input).toEqual({
    environmentId: 'a',
    service: 'a',
    deploymentId: 'd',
    name: 'agent',
    change: { favourite: true },
  })
  expect(store.of('d')).toBeNull()
  await bridge.newest('annotations.save').answer(annotation('d', { favourite: true }))
  expect(store.of('d')?.favourite).toBe(true)

  void store.save('d', null, { addLabel: 'mine' })
  await bridge.newest('annotations.save').fail({ code: 'disk-full', message: 'The disk is full.' })
  expect(store.failedSave?.failure.message).toBe('The disk is full.')
  expect(store.of('d')?.labels).toEqual([])

  void store.toggle('d', 'agent')
  await bridge.newest('annotations.save').answer(annotation('d'))
  expect(store.failedSave).toBeNull()
  expect(store.of('d')).toBeNull()
})

it('a favourite is set to the opposite of what is shown, however often it is clicked before the answer', async () => {
  await bridge.newest('annotations.list').answer([annotation('d', { favourite: true })])
  void store.toggle('d', 'agent')
  void store.toggle('d', 'agent')
  const saves = bridge.callsOf('annotations.save')
  expect(saves.map(({ input }) => input.change)).toEqual([{ favourite: false }, { favourite: false }])
})

it('filtering by favourites and a label leaves the deployments with both', async () => {
  await bridge
    .newest('annotations.list')
    .answer([
      annotation('1', { favourite: true, labels: ['mine'] }),
      annotation('2', { favourite: true }),
      annotation('3', { labels: ['mine'] }),
    ])
  expect(store.matching({ favourites: false, label: null })).toBeNull()
  expect(store.matching({ favourites: true, label: null })).toEqual(['1', '2'])
  expect(store.matching({ favourites: true, label: 'mine' })).toEqual(['1'])
  expect(store.matching({ favourites: true, label: 'none' })).toEqual([])
})
