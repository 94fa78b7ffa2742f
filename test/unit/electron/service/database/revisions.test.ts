import { expect, it } from 'vitest'
import { revisionAt } from '../../../../../electron/service/database/revisions'
import { never } from '../../../../../electron/service/database/times'

/** What a revision is at a time, and since when. */
function at(now: number, starts_at: number | null, ends_at: number | null, more: object = {}) {
  const row = {
    id: 'one',
    created_at: 7,
    starts_at,
    ends_at,
    interrupted_at: null,
    status_message: null,
    ...more,
  }
  const { status, updatedAt, statusMessage } = revisionAt(row, now)
  return [status, Date.parse(updatedAt), statusMessage]
}

it('a revision goes through its statuses, each for a quarter of its time', () => {
  const steps: [now: number, status: string, since: number][] = [
    [99, 'QUEUED', 7],
    [100, 'AWAITING_BUILD', 100],
    [199, 'AWAITING_BUILD', 100],
    [200, 'BUILDING', 200],
    [300, 'AWAITING_DEPLOY', 300],
    [400, 'DEPLOYING', 400],
    [499, 'DEPLOYING', 400],
    [500, 'DEPLOYED', 500],
    [9_000, 'DEPLOYED', 500],
  ]
  for (const [now, status, since] of steps) expect(at(now, 100, 500)).toEqual([status, since, null])
})

it('an interrupted one stays so, one without an end has always been deployed or failed, one of a sample never is', () => {
  expect(at(900, 100, 500, { interrupted_at: 250 })).toEqual(['INTERRUPTED', 250, null])
  expect(at(900, null, null)).toEqual(['DEPLOYED', 7, null])
  expect(at(900, null, null, { status_message: 'no' })).toEqual(['BUILD_FAILED', 7, 'no'])
  expect(at(900, never, never)).toEqual(['QUEUED', 7, null])
  expect(at(100, 100, 100)).toEqual(['DEPLOYED', 100, null])
})
