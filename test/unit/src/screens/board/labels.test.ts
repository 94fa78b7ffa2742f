import type { BoardColumn } from '@contract/ipc/calls/board'
import { expect, it } from 'vitest'
import { columnAge } from '@/screens/board/labels'

it('says how old a column is, or why that is unknown', () => {
  const now = Date.parse('2026-11-27T12:00:00Z')
  const age = (state: BoardColumn['state'], synchronisedAt: string | null = null): string =>
    columnAge({ environmentId: 'a', state, cache: { synchronisedAt } } as BoardColumn, now)
  expect(age('cached', '2026-11-27T09:00:00Z')).toBe('Synced 3 hours ago')
  expect(age('cached', '2027-11-27T09:00:00Z')).toBe('Synced at an unknown time')
  expect(age('cached')).toBe('Never synced')
  expect(age('failed')).toBe("Couldn't be read")
  expect(columnAge(undefined, now)).toBe('Reading…')
})
