import { describe, beforeEach, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { type EnvironmentOverview, useChangesStore, useOverviewStore } from '@/features/overview/overview'
import { environmentView } from '../../../support/builders/environment-view'
import { appState, type FakeBridge, settled } from '../../../support/page/fake-bridge'
import { startApp } from '../../../support/page/start-app'

describe('environments', () => {
  let bridge: FakeBridge
  let overview: ReturnType<typeof useOverviewStore>

  const environment = (id: string, service = `service of ${id}`) => ({
    id,
    name: id.toUpperCase(),
    storage: 'keychain' as const,
    profile: environmentView(),
    service,
    problem: null,
  })

  const read = (environmentId: string): EnvironmentOverview => ({
    environmentId,
    reach: { state: 'unknown', since: null },
    problem: null,
    content: { state: 'not-synchronised' },
  })

  function have(...environments: ReturnType<typeof environment>[]): void {
    bridge.emit('app.state', { ...appState('a'), environments })
  }

  const requested = () => bridge.callsOf('overview.read').map(({ input }) => input.environmentIds)
  const answer = async () => {
    const call = bridge.newest('overview.read')
    await call.answer((call.input.environmentIds as string[]).map(read))
  }

  beforeEach(() => {
    const { bridge: started, app } = startApp()
    bridge = started
    // From now on, it follows the events.
    void app.start()
    overview = useOverviewStore()
  })

  it('reads all environments, some at a time, until the screen is closed', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `e${index}`)
    have(...ids.map((id) => environment(id)))
    overview.isOpen = true
    overview.load()
    expect(requested()).toEqual([ids.slice(0, 10)])
    await answer()
    expect(requested()).toEqual([ids.slice(0, 10), ids.slice(10, 20)])
    overview.isOpen = false
    await answer()
    expect(requested()).toHaveLength(2)
    expect([...overview.byId.keys()]).toEqual(ids.slice(0, 20))
    expect(overview.loading).toBe(false)
  })

  it('reads the others, too, once one is read after a failure', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `e${index}`)
    have(...ids.map((id) => environment(id)))
    overview.isOpen = true
    overview.load()
    await answer()
    await bridge.newest('overview.read').fail({ message: 'The disk refused.' })
    expect(overview.failure?.message).toBe('The disk refused.')
    have(environment('e0', 'another'), ...ids.slice(1).map((id) => environment(id)))
    await nextTick()
    expect(requested().at(-1)).toEqual(expect.arrayContaining(['e0', 'e10', 'e11']))
    while (overview.loading) await answer()
    expect(overview).toMatchObject({ failure: null, loading: false })
    expect(overview.byId.size).toBe(12)
  })

  it('shows nothing of the service from before an edit, whenever the answer arrives', async () => {
    have(environment('a'), environment('b'))
    overview.isOpen = true
    overview.load()
    have(environment('a', 'another'), environment('b'))
    await nextTick()
    await bridge.newest('overview.read').answer([read('a'), read('b')])
    expect([...overview.byId.keys()]).toEqual(['b'])
    // It is read again, for the service that it leads to now.
    expect(requested().at(-1)).toEqual(['a'])
    await answer()
    expect([...overview.byId.keys()].sort()).toEqual(['a', 'b'])
  })

  it('forgets a removed environment, and reads one that was added', async () => {
    have(environment('a'), environment('b'))
    overview.isOpen = true
    overview.load()
    await answer()
    have(environment('a'), environment('c'))
    await nextTick()
    expect([...overview.byId.keys()]).toEqual(['a'])
    expect(requested().at(-1)).toEqual(['c'])
  })

  it('keeps what is shown if a read fails, and says why', async () => {
    have(environment('a'))
    overview.isOpen = true
    overview.load()
    await answer()
    overview.load()
    await bridge.newest('overview.read').fail({ message: 'No.' })
    await settled()
    expect(overview.failure?.message).toBe('No.')
    expect([...overview.byId.keys()]).toEqual(['a'])
  })
})

describe('what changed', () => {
  const now = Date.UTC(2026, 10, 24, 8)
  const hoursAgo = (hours: number): string => new Date(now - hours * 3_600_000).toISOString()

  let bridge: FakeBridge
  let changes: ReturnType<typeof useChangesStore>

  beforeEach(() => {
    vi.useFakeTimers({ now, toFake: ['Date'] })
    ;({ bridge } = startApp())
    changes = useChangesStore()
  })

  const read = (environmentId: string) => ({ environmentId, content: { state: 'not-synchronised' } })
  const inputs = (name: string) => bridge.callsOf(name).map(({ input }) => input)

  it('reads the last 24 hours, or 7 days, of every environment', async () => {
    changes.open()
    expect(inputs('overview.changes')).toEqual([{ environmentIds: ['a', 'b'], since: hoursAgo(24) }])
    await bridge.newest('overview.changes').answer([read('a'), read('b')])
    changes.setPeriod('week')
    // The result for the day isn't shown as that for the week.
    expect(changes.byId.size).toBe(0)
    expect(inputs('overview.changes').at(-1)).toEqual({ environmentIds: ['a', 'b'], since: hoursAgo(7 * 24) })
  })
})
