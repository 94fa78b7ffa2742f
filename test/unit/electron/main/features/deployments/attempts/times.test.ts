import { randomUUID } from 'node:crypto'
import { type CreateRequest, type Deployment, deploymentSchema, failure } from '@contract'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../../../../../../electron/main/features/deployments/attempts/fingerprint'
import {
  type Attempt,
  clockOf,
  isAnother,
  provenTime,
  matchAttempt,
} from '../../../../../../../electron/main/features/deployments/attempts/match-attempt'
import { stateAfterRefusal } from '../../../../../../../electron/main/features/deployments/attempts/refusal'
import { readDate, readTime } from '../../../../../../../electron/main/features/deployments/attempts/times'
import { waysOfWriting, writtenTime, zonesOfMachine } from '../../../../../../support/builders/written-times'

const machineZone = process.env.TZ
afterEach(() => {
  if (machineZone === undefined) delete process.env.TZ
  else process.env.TZ = machineZone
})

const second = 1_000
const minute = 60_000
const hour = 60 * minute
const noon = Date.parse('2026-11-22T12:00:00Z')

describe('a time in an answer', () => {
  it.each([
    ['2026-11-22T12:00:00.123Z', 123, 0],
    ['2026-11-22t12:00:00.5z', 500, 0],
    ['2026-11-22T12:00:00Z', 0, second],
    ['2026-11-22 12:00:00 UTC', 0, second],
    ['2026-11-22T12:00Z', 0, minute],
    ['2026-11-22T17:30:00.000000+05:30', 0, 0],
    ['2026-11-22 05:00:00 -0700', 0, second],
    ['2026-11-22 12:00:00 +0000 UTC', 0, second],
    ['2026-11-22 13:00:00+01', 0, second],
    ['Sun, 22 Nov 2026 12:00:00 GMT', 0, second],
    ['22 Nov 2026 13:00 +0100', 0, minute],
  ])('is read with its zone, with the precision of its text: %s', (text, after, exactMs) => {
    expect(readTime(text)).toEqual({ earliest: noon + after, latest: noon + after + exactMs })
  })

  it.each([
    ['2026-11-22T12:00:00.123456', 123, 0],
    ['2026-11-22T12:00:00', 0, second],
    ['2026-11-22 12:00:00', 0, second],
    ['2026-11-22T12:00', 0, minute],
    ['2026-11-22', -12 * hour, 24 * hour],
    ['Sun, 22 Nov 2026 12:00:00', 0, second],
  ])('is in any zone if it has none, wherever this machine is: %s', (text, after, exactMs) => {
    for (const zone of ['UTC', 'Asia/Tokyo', 'America/New_York']) {
      process.env.TZ = zone
      expect(readTime(text), zone).toEqual({
        earliest: noon + after - 14 * hour,
        latest: noon + after + exactMs + 14 * hour,
      })
    }
  })

  it.each([
    null,
    '',
    'yesterday',
    '1795348800',
    '2026',
    '2026-13-22T12:00:00Z',
    // Central Standard Time or China Standard Time.
    'Sun, 22 Nov 2026 12:00:00 CST',
    'Sun Nov 22 12:00:00 2026',
    '11/22/2026 12:00',
  ])("isn't read if it is ambiguous: %s", (text) => {
    expect(readTime(text)).toBeNull()
  })
})

describe('the header Date', () => {
  it('is read to the second, and only with its zone', () => {
    for (const now of [noon - 23 * hour, noon, noon + 23 * hour])
      expect(readDate('Sun, 22 Nov 2026 12:00:00 GMT', now)).toBe(noon)
    for (const text of [null, undefined, '', 'soon', 'Sun, 22 Nov 2026 12:00:00', '2026-11-22T12:00Z'])
      expect(readDate(text, noon)).toBeNull()
  })
})

const request: CreateRequest = {
  name: 'agent',
  source: 'internal_docker',
  source_config: { resource_spec: { min_scale: 1, max_scale: 2, cpu: 1 } },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [],
}

const answered = (created_at: string, isNormalised: boolean): Deployment =>
  deploymentSchema.parse({
    ...request,
    ...(isNormalised ? { source_revision_config: { image_uri: 'docker.io/internal/agent:1' } } : {}),
    id: randomUUID(),
    status: 'READY',
    created_at,
  })

describe('the time of a deployment', () => {
  it("never proves that it is another one or was refused if it isn't, in any format and with any clock some minutes off", () => {
    fc.assert(
      fc.property(
        waysOfWriting,
        zonesOfMachine,
        fc.record({
          databaseMs: fc.integer({ min: -4 * minute, max: 4 * minute }),
          machineMs: fc.integer({ min: -24 * hour, max: 24 * hour }),
          tookMs: fc.nat({ max: 10 * minute }),
          hasDate: fc.boolean(),
          wasHeard: fc.boolean(),
          isSteady: fc.boolean(),
          isNormalised: fc.boolean(),
        }),
        (way, zone, { databaseMs, machineMs, tookMs, hasDate, wasHeard, isSteady, isNormalised }) => {
          process.env.TZ = zone
          const attempt: Attempt & { fingerprint: ReturnType<typeof fingerprintOf> } = {
            name: request.name,
            startedAt: new Date(noon + machineMs).toISOString(),
            startedAtService: hasDate && wasHeard ? new Date(noon).toISOString() : null,
            isSteady,
            fingerprint: fingerprintOf(request),
            serviceIdentity: 'service',
          }
          const date = hasDate ? new Date(noon + tookMs).toUTCString() : null
          const clock = clockOf(date, noon + machineMs + tookMs)
          const created_at = writtenTime(noon + tookMs + databaseMs, way)
          const there = answered(created_at, isNormalised)
          expect(isNormalised || !isAnother(attempt, there, clock, 201), created_at).toBe(true)
          const seen = { deployments: [there], complete: true, unreadable: 0, clock, at: attempt.startedAt }
          const lookup = matchAttempt(attempt, seen, new Set())
          expect(lookup.deployment?.id).toBe(there.id)
          const time = provenTime(attempt, lookup.deployment!.createdAt, clock)
          const refusal = failure('bad-request', 'No.', { sent: 'answered', status: 422 })
          const state = stateAfterRefusal(refusal, { lookup, isAnothers: false, time })
          expect(['created', 'unclear'], created_at).toContain(state)
          if (isNormalised) expect(state).toBe('unclear')
        },
      ),
    )
  })
})
