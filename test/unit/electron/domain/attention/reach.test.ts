import { type Call, reachOf } from '@domain/attention/reach'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import '../../../../support/properties/property-seed'

const at = (minutes: number): string => new Date(Date.UTC(2026, 10, 24) + minutes * 60_000).toISOString()

describe('reachOf', () => {
  it('says when it last answered, or since when it has not', () => {
    const calls: Call[] = [
      { at: at(1), end: 'unreached' },
      { at: at(2), end: 'answered' },
      { at: at(5), end: 'unreached' },
      { at: at(9), end: 'unreached' },
    ]
    expect(reachOf(calls)).toEqual({ state: 'unreached', since: at(5) })
    expect(reachOf([...calls, { at: at(10), end: 'answered' }])).toEqual({ state: 'reached', since: at(10) })
    expect(reachOf([...calls, { at: at(10), end: 'denied' }])).toEqual({ state: 'denied', since: at(10) })
  })

  it('depends only on the last call, in whatever order they come', () => {
    const call = fc.record({
      at: fc.integer({ min: 0, max: 50 }).map(at),
      end: fc.constantFrom(...(['answered', 'failing', 'denied', 'unreached'] as const)),
    })
    fc.assert(
      fc.property(fc.uniqueArray(call, { minLength: 1, selector: (one) => one.at }), (calls) => {
        const reach = reachOf(calls)
        const [last, ...before] = [...calls].sort((one, other) => (one.at < other.at ? 1 : -1))
        expect(reach.state).toBe(last?.end === 'answered' ? 'reached' : last?.end)
        expect(reachOf([...calls].reverse())).toEqual(reach)
        // Nothing else happened since then.
        const since = before.filter((one) => one.at >= (reach.since ?? ''))
        expect(since.every(({ end }) => end === last?.end)).toBe(true)
      }),
    )
  })
})
