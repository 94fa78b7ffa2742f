import Database from 'libsql'
import { afterAll, expect, it } from 'vitest'
import {
  isPending,
  never,
  statusAt,
  statusSince,
} from '../../../../../electron/service/database/revision-times'

const database = new Database(':memory:')
afterAll(() => {
  database.close()
})

/** What a revision is at a time, and since when. */
function at(
  now: number,
  startsAt: number | null,
  endsAt: number | null,
  interruptedAt: number | null = null,
) {
  const statement = database.prepare<Record<string, number | null>>(
    `select ${statusAt(':now')} as status, ${statusSince(':now')} as since, ${isPending(':now')} as pending
     from (select :starts_at as starts_at, :ends_at as ends_at, :interrupted_at as interrupted_at)`,
  )
  const row = statement.get({ now, starts_at: startsAt, ends_at: endsAt, interrupted_at: interruptedAt })
  const { status, since, pending } = row as { status: string; since: number | null; pending: number | null }
  return [status, since, pending === 1]
}

it('a revision goes through its statuses, each for a quarter of its time', () => {
  const steps: [now: number, status: string, since: number | null][] = [
    [99, 'QUEUED', null],
    [100, 'AWAITING_BUILD', 100],
    [199, 'AWAITING_BUILD', 100],
    [200, 'BUILDING', 200],
    [300, 'AWAITING_DEPLOY', 300],
    [400, 'DEPLOYING', 400],
    [499, 'DEPLOYING', 400],
    [500, 'DEPLOYED', 500],
    [9_000, 'DEPLOYED', 500],
  ]
  for (const [now, status, since] of steps) expect(at(now, 100, 500)).toEqual([status, since, now < 500])
})

it('an interrupted one stays so, one without an end has always been deployed, one of a sample never is', () => {
  expect(at(900, 100, 500, 250)).toEqual(['INTERRUPTED', 250, false])
  expect(at(900, null, null)).toEqual(['DEPLOYED', null, false])
  expect(at(900, never, never)).toEqual(['QUEUED', null, false])
  expect(at(100, 100, 100)).toEqual(['DEPLOYED', 100, false])
})
