import { deploymentStatuses } from '@contract/deployment-api/statuses'
import { type Call, deploymentAttention, reachOf } from '@domain/attention'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import '../../../support/properties/property-seed'

describe('deployments', () => {
  const minute = 60_000
  const seen = Date.UTC(2026, 10, 24, 8)
  const iso = (ms: number): string => new Date(ms).toISOString()

  const deployment = (more: Partial<Parameters<typeof deploymentAttention>[0]> = {}) => ({
    status: 'READY',
    latest_revision_id: 'r2',
    active_revision_id: 'r1',
    created_at: iso(seen - 9_000 * minute),
    updated_at: iso(seen - 40 * minute),
    fetched_at: iso(seen),
    last_changes: { status: null, revision: null },
    ...more,
  })

  describe('deploymentAttention', () => {
    it('counts from the update to when it was last seen, not to now', () => {
      expect(deploymentAttention(deployment(), 30)).toEqual({
        reason: 'rolling-out',
        since: iso(seen - 40 * minute),
        seenAt: iso(seen),
      })
      // It may have become active since.
      expect(deploymentAttention(deployment({ fetched_at: iso(seen - 20 * minute) }), 30)).toBeNull()
    })

    it('reports statuses that await something as awaiting, and every other status as unknown, at once', () => {
      expect(deploymentAttention(deployment({ status: 'AWAITING_DATABASE' }), 30)?.reason).toBe('awaiting')
      for (const status of ['UNKNOWN', 'PAUSED', '', 'ready']) {
        const now = deployment({ status, updated_at: iso(seen) })
        expect(deploymentAttention(now, 30)?.reason).toBe('unknown-status')
      }
    })

    it('leaves out what is settled, and what has been in progress no longer than usual, whatever the times are', () => {
      const status = fc.constantFrom(...deploymentStatuses, 'PAUSED')
      const revision = fc.constantFrom(null, 'r1', 'r2')
      const time = fc.oneof(
        fc.integer({ min: -10_000, max: 10_000 }).map((minutes) => iso(seen + minutes * minute)),
      )
      fc.assert(
        fc.property(
          fc.record({
            status,
            latest_revision_id: revision,
            active_revision_id: revision,
            created_at: time,
            updated_at: time,
          }),
          fc.constantFrom(10, 30, 60, 240),
          (some, stuckMinutes) => {
            const found = deploymentAttention(
              { ...some, fetched_at: iso(seen), last_changes: { status: null, revision: null } },
              stuckMinutes,
            )
            const { status: now, latest_revision_id: latest, active_revision_id: active } = some
            const isUnknown = now === 'UNKNOWN' || now === 'PAUSED'
            const isUnderWay = now.startsWith('AWAITING') || (latest !== null && latest !== active)
            const isLong = seen - Date.parse(some.updated_at) > stuckMinutes * minute
            expect(found !== null).toBe(isUnknown || (isUnderWay && isLong))
          },
        ),
      )
    })
  })
})

describe('services', () => {
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
      expect(reachOf([...calls, { at: at(10), end: 'answered' }])).toEqual({
        state: 'reached',
        since: at(10),
      })
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
})
