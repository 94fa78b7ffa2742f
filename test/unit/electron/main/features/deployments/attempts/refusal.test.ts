import { failure, type Lookup } from '@contract'
import { describe, expect, it } from 'vitest'
import {
  type SeenOfRefused,
  stateAfterRefusal,
  stateUnseen,
} from '../../../../../../../electron/main/features/deployments/attempts/refusal'

const refused = (status: number) => failure('conflict', 'No.', { sent: 'answered', status })

const there = { id: 'd1', createdAt: '2026-11-22T10:00:00Z', status: 'READY' }

const look = (more: Partial<Lookup>, seen: Partial<SeenOfRefused> = {}): SeenOfRefused => ({
  lookup: {
    at: '2026-11-22T10:00:00Z',
    verdict: 'not-found',
    deployment: null,
    differences: [],
    reason: null,
    ...more,
  },
  isAnothers: false,
  time: null,
  ...seen,
})

const absent = look({})
const older = look({ verdict: 'not-found', deployment: there }, { time: 'older' })
const same = (time: SeenOfRefused['time']) =>
  look({ verdict: 'different', deployment: there, differences: ['created_at'] }, { time })

describe('a refused creation', () => {
  it('was created if the list has it, whatever status refused it', () => {
    for (const status of [400, 401, 402, 403, 409, 422, 429])
      expect(stateAfterRefusal(refused(status), look({ verdict: 'found', deployment: there }))).toBe(
        'created',
      )
  })

  it.each<[string, SeenOfRefused]>([
    ['that cannot be told apart', look({ verdict: 'cannot-tell', deployment: there, reason: 'secrets' })],
    ['that differs, at its time', look({ verdict: 'different', deployment: there, differences: ['source'] })],
    ['whose time proves nothing', look({ verdict: 'cannot-tell', deployment: there, reason: 'no-time' })],
    ['that is the same, and later', same('later')],
  ])('is unconfirmed if the list has a deployment of its name %s', (_what, seen) => {
    for (const status of [409, 422, 429]) expect(stateAfterRefusal(refused(status), seen)).toBe('unclear')
  })

  it("is refused if the list doesn't have its name, or only a deployment that is provably older", () => {
    for (const seen of [absent, older, same('older')])
      expect(stateAfterRefusal(refused(422), seen)).toBe('refused')
    for (const seen of [older, same('older')]) expect(stateAfterRefusal(refused(409), seen)).toBe('refused')
  })

  it('because of its name is unconfirmed until the list shows what has the name', () => {
    expect(stateAfterRefusal(refused(409), absent)).toBe('unclear')
    expect(stateAfterRefusal(refused(409), look({}, { isAnothers: true }))).toBe('refused')
  })

  it.each([
    ['no answer', failure('timeout', 'Late.', { sent: 'maybe' })],
    ['one that stops', failure('timeout', 'Late.', { sent: 'answered', status: 200 })],
    ['a refusal that stops', failure('timeout', 'Late.', { sent: 'answered', status: 403 })],
    ['one that breaks off', failure('connection-lost', 'Lost.', { sent: 'answered', status: 200 })],
    ['one of a broken service', failure('service-error', 'Oh.', { sent: 'answered', status: 503 })],
    [
      'that there were too many requests',
      failure('rate-limited', 'Later.', { sent: 'answered', status: 429 }),
    ],
    ['a page to sign in', failure('unreadable-answer', 'No.', { sent: 'answered', status: 200 })],
  ] as const)('is unconfirmed as long as the list gets %s', (_what, reason) => {
    expect(stateUnseen(refused(422), reason)).toBe('unclear')
  })
})
