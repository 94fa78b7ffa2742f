import type { Change } from '@contract/cache'
import { maxStatuses } from '@contract/deployment-api/list'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  evenMoments,
  listedStatuses,
  statusCountsAt,
} from '../../../../electron/cache/store/history/status-counts'

describe('statuses over time', () => {
  const statuses = ['READY', 'AWAITING_DATABASE', 'UNKNOWN'] as const

  const change = (kind: Change['kind'], before: string | null, after: string | null): Change => ({
    kind,
    member: null,
    before,
    after,
  })

  const counted = (known: Map<number, string>): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const status of known.values()) counts.set(status, (counts.get(status) ?? 0) + 1)
    return counts
  }

  const countsOf = (known: Map<number, string>) => ({
    counts: [...counted(known)].map(([status, count]) => ({ status, count })),
    others: { statuses: 0, deployments: 0 },
  })

  /** What happens to one of five deployments at a time: it gets a status, or is gone. */
  const happening = fc.record({
    at: fc.nat(100),
    which: fc.nat(4),
    status: fc.option(fc.constantFrom(...statuses), { nil: null }),
  })

  it('counts at each time what existed then', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), fc.integer({ min: 2, max: 9 }), (list, count) => {
        const known = new Map<number, string>()
        const were = new Set<number>()
        const seen: { seenAt: number; changes: Change[] }[] = []
        const moments = evenMoments({ from: 0, to: 100 }, count)
        const expected: Map<string, number>[] = []
        const happenings = [...list].sort((one, other) => one.at - other.at)
        for (const moment of moments) {
          while (happenings[0] && happenings[0].at <= moment) {
            const { at, which, status } = happenings.shift()!
            const before = known.get(which) ?? null
            if (status === before) continue
            if (status === null) known.delete(which)
            else known.set(which, status)
            const kind =
              before !== null ? (status === null ? 'gone' : 'status') : were.has(which) ? 'back' : 'appeared'
            were.add(which)
            seen.push({
              seenAt: at,
              changes: [change('configuration', 'x', 'y'), change(kind, before, status)],
            })
          }
          expected.push(counted(known))
        }
        const sorted = (counts: Map<string | null, number>) => [...counts].sort()
        const now = countsOf(known)
        seen.reverse()
        const found = statusCountsAt(now, listedStatuses(now, seen), seen, moments)
        expect(found.map(sorted)).toEqual(expected.map(sorted))
      }),
    )
  })

  it('lists the statuses most frequent in changes if all present ones are listed', () => {
    const named = (status: string, times: number): Change[] =>
      Array.from({ length: times }, () => change('status', status, 'READY'))
    const rare = Array.from({ length: maxStatuses }, (_, index) => named(`rare ${index}`, 1)).flat()
    const seen = [{ seenAt: 0, changes: [...rare, ...named('PAUSED', 2)] }]
    const listed = listedStatuses({ counts: [], others: { statuses: 0, deployments: 0 } }, seen)
    expect(listed.size).toBe(maxStatuses)
    expect(listed).toContain('PAUSED')
  })
})
