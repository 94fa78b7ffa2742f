import { failure, type FailureEntry, type SynchronisationEntry } from '@contract'
import { expect, it } from 'vitest'
import { dayOf, isQuiet } from '@/features/activity/entries'

const at = (id: string, startedAt: string): FailureEntry => ({
  kind: 'failure',
  id,
  startedAt,
  endedAt: startedAt,
  environmentId: 'a',
  environmentName: 'A',
  action: 'List deployments',
  failure: failure('connection-lost', 'Lost.'),
})

/** Noon of a day in this machine's time zone. */
const noon = (day: number): Date => new Date(2026, 10, day, 12)
it('calls each day by its name or date', () => {
  const days = [
    noon(23).toISOString(),
    new Date(2026, 10, 23, 0, 0, 1).toISOString(),
    new Date(2026, 10, 22, 23, 59, 59).toISOString(),
    noon(3).toISOString(),
    'no time',
  ]
  expect(days.map((day) => dayOf(day, noon(23).getTime()))).toEqual([
    'Today',
    'Today',
    'Yesterday',
    '3 Nov 2026',
    'Unknown date',
  ])
})

it('treats background synchronisations that found nothing as quiet', () => {
  const sync = {
    kind: 'synchronisation',
    state: 'complete',
    automatic: true,
    seen: 5,
    added: 0,
    changed: 0,
    gone: 0,
  } as SynchronisationEntry
  expect(isQuiet(sync)).toBe(true)
  for (const change of [{ added: 1 }, { changed: 1 }, { gone: 1 }, { automatic: false }, { state: 'failed' }])
    expect(isQuiet({ ...sync, ...change } as SynchronisationEntry), JSON.stringify(change)).toBe(false)
  expect(isQuiet(at('1', noon(1).toISOString()))).toBe(false)
})
