import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { statusLines, tableRows } from '@/features/overview/rows'
import '../../../support/properties/property-seed'

const start = Date.UTC(2026, 10, 24)
const at = (minutes: number): string => new Date(start + minutes * 60_000).toISOString()
const moment = (minutes: number, ready: number) => ({
  at: at(minutes),
  counts: ready === 0 ? [] : [{ status: 'READY', count: ready }],
  others: 0,
})

describe('statusLines', () => {
  it('has a segment for each observed time, with its edges, and a gap between them', () => {
    const moments = [moment(0, 3), moment(10, 4), moment(20, 4), moment(30, 5)]
    const observed = [
      { from: at(-5), to: at(12) },
      { from: at(25), to: at(25) },
    ]
    expect(statusLines({ moments, observed }, [])).toEqual([
      {
        status: 'READY',
        max: 5,
        segments: [
          [
            { at: Date.parse(at(0)), count: 3 },
            { at: Date.parse(at(10)), count: 4 },
            { at: Date.parse(at(12)), count: 4 },
          ],
          [{ at: Date.parse(at(25)), count: 5 }],
        ],
      },
    ])
  })

  it('draws nothing outside the observed times, and no count that no point in time has', () => {
    const minutes = fc.integer({ min: -50, max: 150 })
    const times = fc.array(fc.tuple(minutes, minutes), { maxLength: 5 })
    const counts = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 11 })
    fc.assert(
      fc.property(counts, times, (ready, spans) => {
        const moments = ready.map((count, index) => moment(index * 10, count))
        const observed = spans.map(([one, other]) => ({
          from: at(Math.min(one, other)),
          to: at(Math.max(one, other)),
        }))
        const first = Date.parse(at(0))
        const last = Date.parse(moments.at(-1)?.at ?? '')
        for (const { segments, max } of statusLines({ moments, observed }, []))
          for (const segment of segments) {
            expect(segment.length).toBeGreaterThan(0)
            for (const [index, point] of segment.entries()) {
              expect(point.at).toBeGreaterThanOrEqual(Math.max(first, segment[index - 1]?.at ?? first))
              expect(point.at).toBeLessThanOrEqual(last)
              expect(ready).toContain(point.count)
              expect(point.count).toBeLessThanOrEqual(max)
              const isSeen = ({ from, to }: { from: string; to: string }): boolean =>
                Date.parse(from) <= point.at && point.at <= Date.parse(to)
              expect(observed.some(isSeen)).toBe(true)
            }
          }
      }),
    )
  })
})

describe('tableRows', () => {
  const rowsOf = (moments: ReturnType<typeof moment>[], observed: { from: string; to: string }[]) =>
    tableRows(statusLines({ moments, observed }, []), Date.parse(at(-20)), Date.parse(at(40))).map((row) => ({
      minute: (row.at - start) / 60_000,
      counts: row.counts,
    }))

  it('has a row for each time at which the numbers change, and marks unobserved times', () => {
    const moments = [moment(0, 3), moment(10, 3), moment(20, 3), moment(30, 3), moment(40, 4)]
    const observed = [
      { from: at(0), to: at(12) },
      { from: at(28), to: at(50) },
    ]
    expect(rowsOf(moments, observed)).toEqual([
      { minute: -20, counts: null },
      { minute: 0, counts: [3] },
      { minute: 12, counts: null },
      { minute: 28, counts: [3] },
      { minute: 40, counts: [4] },
    ])
  })
})
