import type { HistoryEntry } from '@contract/cache'
import { pauseMs, timelineOf } from '@domain/timeline'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('the timeline of a deployment', () => {
  const start = Date.UTC(2026, 5, 1)
  const iso = (minute: number): string => new Date(start + minute * 60_000).toISOString()
  const minuteOf = (time: string): number => (Date.parse(time) - start) / 60_000

  const entry = (point: number, minute: number, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
    point,
    id: 'd',
    name: 'agent',
    seenAt: iso(minute),
    previousAt: null,
    by: 'sync',
    kind: 'status',
    member: null,
    before: 'A',
    after: 'B',
    ...more,
  })

  it('has a gap for each unobserved time, and none for an observed one', () => {
    const entries = [entry(2, 200), entry(1, 60), entry(1, 60, { kind: 'latest-revision' })]
    const observed = [
      { from: iso(0), to: iso(60) },
      { from: iso(65), to: iso(80) },
      { from: iso(200), to: iso(210) },
    ]
    const shown = timelineOf({ entries, observed }, Date.parse(iso(300))).map((item) =>
      item.kind === 'gap'
        ? ['gap', minuteOf(item.from), item.to && minuteOf(item.to)]
        : [item.point, item.changes.map(({ kind }) => kind)],
    )
    expect(shown).toEqual([
      ['gap', 210, null],
      [2, ['status']],
      ['gap', 80, 200],
      [1, ['status', 'latest-revision']],
    ])
  })

  const times = fc.array(
    fc
      .tuple(fc.nat(1000), fc.nat(200))
      .map(([from, length]) => ({ from: iso(from), to: iso(from + length) })),
    { maxLength: 12 },
  )

  it('has every point once, in its order, and gaps exactly outside the observed times', () => {
    fc.assert(
      fc.property(times, fc.array(fc.nat(1000), { maxLength: 8 }), (observed, minutes) => {
        // A clock may be set back: points aren't in the order of their times.
        const entries = minutes.map((minute, index) => entry(minutes.length - index, minute))
        const now = Date.parse(iso(1300))
        const timeline = timelineOf({ entries, observed }, now)
        expect(timeline.flatMap((item) => (item.kind === 'point' ? [item.point] : []))).toEqual(
          entries.map(({ point }) => point),
        )
        const gaps = timeline.flatMap((item) => (item.kind === 'gap' ? [item] : []))
        for (const { from, to } of gaps) {
          const end = to === null ? now : Date.parse(to)
          expect(end - Date.parse(from)).toBeGreaterThan(pauseMs)
          const inside = observed.filter(
            (time) => Date.parse(time.to) > Date.parse(from) && Date.parse(time.from) < end,
          )
          expect(inside).toEqual([])
        }
        // What is left out between the first observation and now is shorter than a gap.
        const moments = observed.flatMap((time) => [Date.parse(time.from), Date.parse(time.to)])
        const ends = [...moments, now].sort((one, other) => one - other)
        for (const [index, moment] of ends.entries()) {
          const next = ends[index + 1]
          if (moments.length === 0 || next === undefined || next - moment <= pauseMs) continue
          const middle = (moment + next) / 2
          const isLooking = observed.some(
            (time) => Date.parse(time.from) <= middle && middle <= Date.parse(time.to),
          )
          const isGap = gaps.some(
            ({ from, to }) => Date.parse(from) <= middle && middle <= (to === null ? now : Date.parse(to)),
          )
          expect(isGap).toBe(!isLooking)
        }
      }),
    )
  })
})
