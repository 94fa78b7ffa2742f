import type { CachedSummary } from '@contract/cache'
import { beforeEach, describe, expect, it } from 'vitest'
import { nextTick } from 'vue'
import { useCommandsStore } from '@/app/commands'
import { commandEntry, environmentEntry } from '@/features/palette/entries'
import { useRecentsStore } from '@/features/palette/palette'
import { summaryOf } from '../../../support/builders/deployment-answers'
import { appState, type FakeBridge } from '../../../support/page/fake-bridge'
import { type AppStore, startApp } from '../../../support/page/start-app'

let bridge: FakeBridge
let app: AppStore
let recents: ReturnType<typeof useRecentsStore>

beforeEach(() => {
  ;({ bridge, app } = startApp())
  recents = useRecentsStore()
})

const keys = () => recents.recent.map(({ key }) => key)
const deployment = (id: string, goneAt: string | null = null): CachedSummary => ({
  ...summaryOf(id),
  deployment_type: null,
  fetched_at: '2026-11-21T00:00:00.000Z',
  gone_at: goneAt,
})

/** Loads the choices of earlier sessions; the cache has these deployments. */
async function load(stored: [kind: string, id: string][], cached: CachedSummary[] = []): Promise<void> {
  void recents.load()
  await bridge.newest('recents.list').answer(stored.map(([kind, id]) => ({ kind, id })))
  if (stored.some(([kind]) => kind === 'deployment')) {
    await bridge.newest('cache.page').answer({ total: cached.length, deployments: cached })
  }
}

describe('what is chosen', () => {
  it('is remembered, the latest first, while it exists', async () => {
    const takeBack = useCommandsStore().handle('refresh', () => undefined)
    for (const entry of [
      commandEntry('refresh'),
      environmentEntry(app.environments[1]!),
      commandEntry('find'),
      commandEntry('refresh'),
    ])
      recents.remember(entry)
    // Nothing has registered what "find" does.
    expect(keys()).toEqual(['command refresh', 'environment b'])
    app.state = appState('b')
    await nextTick()
    await bridge.newest('recents.list').answer([
      { kind: 'environment', id: 'b' },
      { kind: 'command', id: 'refresh' },
    ])
    expect(keys()).toEqual(['command refresh'])
    takeBack()
  })
})

describe('what earlier sessions chose', () => {
  it('comes after what this one chose, each once, as the cache has it now', async () => {
    const takeBack = useCommandsStore().handle('refresh', () => undefined)
    await load(
      [
        ['deployment', 'd-1'],
        ['command', 'refresh'],
        ['environment', 'b'],
      ],
      [deployment('d-1')],
    )
    recents.remember(commandEntry('refresh'))
    expect(bridge.newest('cache.page').input).toMatchObject({
      request: { query: { filters: { ids: ['d-1'] } } },
    })
    expect(keys()).toEqual(['command refresh', 'deployment d-1', 'environment b'])
    takeBack()
  })

  it('drops what no longer exists', async () => {
    await load(
      [
        ['deployment', 'gone'],
        ['deployment', 'uncached'],
        ['deployment', 'there'],
        ['command', 'of-another-version'],
        ['environment', 'removed'],
      ],
      [deployment('gone', '2026-11-22T00:00:00.000Z'), deployment('there')],
    )
    expect(keys()).toEqual(['deployment there'])
  })
})
