import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countsOverTime } from '@/features/overview/rows'
import '../../../support/properties/property-seed'

const start = Date.UTC(2026, 10, 24)
const at = (minutes: number): string => new Date(start + minutes * 60_000).toISOString()
const moment = (minutes: number, ready: number) => ({
  at: at(minutes),
  counts: ready === 0 ? [] : [{ status: 'READY', count: ready }],
  others: 0,
})
const time = (from: number, to: number) => ({ from: at(from), to: at(to) })

/** The counts of ready deployments, from 20 minutes before. */
const counted = (moments: ReturnType<typeof moment>[], observed: ReturnType<typeof time>[]) =>
  countsOverTime({ moments, observed }, ['READY'], start - 20 * 60_000).map((row) => ({
    minute: (row.at - start) / 60_000,
    counts: row.counts,
  }))

it('has an entry for each time at which the numbers change, and marks times when nobody looked', () => {
  const moments = [moment(0, 3), moment(10, 3), moment(20, 3), moment(30, 3), moment(40, 4)]
  expect(counted(moments, [time(0, 12), time(28, 50)])).toEqual([
    { minute: -20, counts: null },
    { minute: 0, counts: [3] },
    { minute: 12, counts: null },
    { minute: 28, counts: [3] },
    { minute: 40, counts: [4] },
  ])
})

it('tells what was seen at the end of a look by the moment after it, unless that belongs to the next one', () => {
  const moments = [moment(0, 3), moment(10, 4), moment(20, 5), moment(30, 6)]
  expect(counted(moments, [time(-5, 12), time(25, 25)])).toEqual([
    { minute: -20, counts: null },
    { minute: 0, counts: [3] },
    { minute: 10, counts: [4] },
    { minute: 12, counts: [5] },
    { minute: 12, counts: null },
    { minute: 25, counts: [6] },
    { minute: 25, counts: null },
  ])
  expect(counted(moments, [time(-5, 12), time(15, 25)]).slice(2, 4)).toEqual([
    { minute: 10, counts: [4] },
    { minute: 12, counts: null },
  ])
  expect(counted(moments, [time(-5, 8), time(9, 9)]).slice(1)).toEqual([
    { minute: 0, counts: [3] },
    { minute: 8, counts: null },
    { minute: 9, counts: [4] },
    { minute: 9, counts: null },
  ])
})

it('says nothing of the times when nobody looked, and no number that no moment has', () => {
  const minutes = fc.integer({ min: -50, max: 150 })
  const times = fc.uniqueArray(minutes, { maxLength: 8 })
  const counts = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 11 })
  fc.assert(
    fc.property(counts, times, (ready, edges) => {
      const sorted = edges.toSorted((one, other) => one - other)
      const spans = sorted.flatMap((from, index) =>
        index % 2 === 0 && index + 1 < sorted.length ? [time(from, sorted[index + 1]!)] : [],
      )
      const moments = ready.map((count, index) => moment(index * 10, count))
      const rows = counted(moments, spans)
      for (const [index, row] of rows.entries()) {
        expect(row.minute).toBeGreaterThanOrEqual(rows[index - 1]?.minute ?? -20)
        expect(row.minute).toBeLessThanOrEqual((ready.length - 1) * 10)
        if (row.counts === null) continue
        expect(ready).toContain(row.counts[0])
        const now = at(row.minute)
        expect(spans.some(({ from, to }) => from <= now && now <= to)).toBe(true)
      }
    }),
  )
})
