import type { DeploymentSummary } from '@contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pauseAfterMs } from '@/features/deployment/deployment'
import { deploymentColumns, useColumnsStore } from '@/features/list/deployment-columns'
import { type ListedRow, sourceOf, type SourceValues } from '@/features/list/deployments'
import { newRows, readAgain } from '@/features/list/rereads'
import { summaryOf } from '../../../support/builders/deployment-answers'
import { startApp } from '../../../support/page/start-app'
import { useChoicesStore } from '@/app/stores/choices'
import type { ColumnChoice } from '@contract/ipc/choices'

describe('reading a list again', () => {
  const at = '2026-11-23T00:00:00.000Z'
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 60 }).map(String), { maxLength: 40 })

  describe('rows that were read again', () => {
    it('are the same objects if nothing changed', () => {
      fc.assert(
        fc.property(ids, ids, ids, (shown, changedIds, missingIds) => {
          const rows = shown.map((id) => summaryOf(id))
          const read = new Map(
            [...shown, ...changedIds]
              .filter((id) => !missingIds.includes(id))
              .map((id) => [id, summaryOf(id, { status: changedIds.includes(id) ? 'UNUSED' : 'READY' })]),
          )
          for (const row of rows) {
            const again = readAgain(row, { rows: read, missing: new Set(missingIds), at })
            const isChanged = changedIds.includes(row.id) || missingIds.includes(row.id)
            expect(again === row).toBe(!isChanged)
          }
        }),
      )
    })

    it('are marked as gone once, and can return', () => {
      const none = { rows: new Map<string, DeploymentSummary>(), missing: new Set(['1']), at }
      const gone = readAgain(summaryOf('1') as ListedRow, none)
      expect(gone.gone_at).toBe(at)
      expect(readAgain(gone, { ...none, at: 'later' })).toBe(gone)
      const found = { rows: new Map([['1', summaryOf('1')]]), missing: new Set<string>(), at }
      expect(readAgain(gone, found)).toEqual({ ...summaryOf('1'), gone_at: null })
    })
  })

  describe('new rows', () => {
    const found = (first: string[], known: string[], isWhole = false) =>
      newRows(
        first.map((id) => summaryOf(id)),
        (id) => known.includes(id),
        isWhole,
      ).map(({ id }) => id)

    it.each([
      ['at the top', ['5', '4', '3', '2'], ['4', '3', '2'], ['5']],
      ['among the others, in another order', ['4', '5', '3'], ['4', '3'], ['5']],
      ['not where rows of the next page move up', ['4', '2', '1'], ['4', '3', '2'], []],
      ['all, where no known one is left', ['9', '8'], ['4', '3'], ['9', '8']],
    ])('are found %s', (_where, first, known, expected) => {
      expect(found(first, known)).toEqual(expected)
    })
  })

  it('waits longer after each failure, up to five minutes, and as long as the service requests', () => {
    const pauses = [0, 1, 2, 3, 9, 2_000].map((failures) => pauseAfterMs(15_000, failures, null))
    expect(pauses).toEqual([15_000, 30_000, 60_000, 120_000, 300_000, 300_000])
    expect(pauseAfterMs(15_000, 1, 3_600)).toBe(3_600_000)
    expect(pauseAfterMs(15_000, 2, 1)).toBe(60_000)
    // A timer can't wait longer.
    expect(pauseAfterMs(15_000, 1, 999_999_999)).toBeLessThan(2 ** 31)
  })
})

describe('columns', () => {
  const choice = (key: string, more: Partial<ColumnChoice> = {}): ColumnChoice => ({
    key,
    isShown: true,
    width: null,
    ...more,
  })

  it('has every column as it was left, and the default ones initially', () => {
    startApp()
    const columns = useColumnsStore()
    const keys = deploymentColumns.map(({ key }) => key)
    expect(columns.all).toEqual(keys.map((key) => choice(key)))
    const choices = [
      choice('updated_at', { width: 90 }),
      choice('source', { isShown: false }),
      choice('runs'),
      choice('revision'),
      choice('name'),
      choice('status'),
    ]
    useChoicesStore().columns = choices
    expect(columns.all).toEqual(choices)
  })
})

describe('where the list comes from', () => {
  const usual: SourceValues = {
    chosen: 'live',
    searchesCache: false,
    isOffline: false,
    hasCache: true,
    isPartial: false,
    rollingOut: false,
  }
  it.each<[why: string, isCached: boolean, values: Partial<SourceValues>]>([
    ['chosen', false, {}],
    ['chosen', true, { chosen: 'cached', isOffline: true, rollingOut: true }],
    ['sort', true, { chosen: 'sorted', isOffline: true }],
    ['chosen', false, { chosen: 'sorted', isPartial: true }],
    ['offline', true, { isOffline: true, searchesCache: true }],
    ['chosen', false, { isOffline: true, hasCache: false }],
    ['offline', true, { isOffline: true, hasCache: false, rollingOut: true }],
    ['rollouts', true, { rollingOut: true, searchesCache: true }],
    ['search', true, { searchesCache: true }],
  ])('%s, cached: %s', (why, isCached, values) => {
    expect(sourceOf({ ...usual, ...values })).toEqual({ isCached, why })
  })
})
