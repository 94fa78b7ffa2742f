import { failure, type FailureEntry, type SynchronisationEntry } from '@contract'
import { expect, it } from 'vitest'
import { isQuiet, type Row, rowsOf } from '@/features/activity/entries'

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
const texts = (rows: Row[]): string[] => rows.map((row) => (row.kind === 'day' ? row.label : row.key))

it('puts each day under its heading, and details below their entry', () => {
  const entries = [
    at('1', noon(23).toISOString()),
    at('2', new Date(2026, 10, 23, 0, 0, 1).toISOString()),
    at('3', new Date(2026, 10, 22, 23, 59, 59).toISOString()),
    at('4', noon(3).toISOString()),
    at('5', 'no time'),
  ]
  expect(texts(rowsOf(entries, new Set(['3']), noon(23).getTime()))).toEqual([
    ...['Today', '1', '2'],
    ...['Yesterday', '3', 'details-3'],
    ...['3 Nov 2026', '4'],
    ...['Unknown date', '5'],
  ])
  expect(rowsOf([], new Set(), noon(23).getTime())).toEqual([])
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
