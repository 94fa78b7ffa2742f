import { beforeEach, expect, it, vi } from 'vitest'
import { useChoicesStore } from '@/stores/application/choices'
import { useChangesStore } from '@/stores/changes'
import { useStatusHistoryStore } from '@/stores/status-history'
import { type FakeBridge, settled } from '../../../../support/page/fake-bridge'
import { startApp } from '../../../../support/page/start-app'

const now = Date.UTC(2026, 10, 24, 8)
const hoursAgo = (hours: number): string => new Date(now - hours * 3_600_000).toISOString()

let bridge: FakeBridge
let choices: ReturnType<typeof useChoicesStore>
let changes: ReturnType<typeof useChangesStore>

beforeEach(() => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  ;({ bridge } = startApp())
  choices = useChoicesStore()
  changes = useChangesStore()
})

const read = (environmentId: string) => ({ environmentId, content: { state: 'not-synchronised' } })
const inputs = (name: string) => bridge.callsOf(name).map(({ input }) => input)

it('reads the last 24 hours, or 7 days, of every environment', async () => {
  changes.start()
  expect(inputs('overview.changes')).toEqual([{ environmentIds: ['a', 'b'], since: hoursAgo(24) }])
  await bridge.newest('overview.changes').answer([read('a'), read('b')])
  changes.setPeriod('week')
  // The result for the day isn't shown as that for the week.
  expect(changes.byId.size).toBe(0)
  expect(inputs('overview.changes').at(-1)).toEqual({ environmentIds: ['a', 'b'], since: hoursAgo(7 * 24) })
})

it('begins at the last visit to the Overview, even after a restart, and offers that only if there was one', () => {
  changes.start()
  expect(changes.periods).toEqual(['day', 'week'])
  // Slipway may be closed while it is open.
  expect(choices.overview.leftAt).toBe(hoursAgo(0))
  vi.setSystemTime(now + 1_800_000)
  changes.leave()
  expect(choices.overview.leftAt).toBe(hoursAgo(-0.5))
  vi.setSystemTime(now + 3_600_000)
  changes.start()
  expect(changes.periods).toEqual(['last', 'day', 'week'])
  changes.setPeriod('last')
  expect(changes.since).toBe(hoursAgo(-0.5))
  // It stays so while the screen is open.
  changes.load()
  expect(changes.since).toBe(hoursAgo(-0.5))
})

it('counts statuses of the chosen environment in the same period', async () => {
  const statuses = useStatusHistoryStore()
  changes.start()
  statuses.open()
  expect(inputs('overview.statuses')).toEqual([{ environmentId: 'a', since: hoursAgo(24) }])
  statuses.chosenId = 'b'
  await settled()
  await bridge.callsOf('overview.statuses')[0]?.answer(read('a'))
  expect(statuses.shown).toBeNull()
  await bridge.newest('overview.statuses').answer(read('b'))
  expect(statuses.shown).toMatchObject({ environmentId: 'b' })
  changes.setPeriod('week')
  expect(statuses.shown).toBeNull()
})
