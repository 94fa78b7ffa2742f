import { randomUUID } from 'node:crypto'
import type { SourceRevisionConfigAnswer } from '../../api/schemas'
import type { NewRevision, PendingRevision, Revision, RevisionTimes } from '../../database/store'

/** A new revision, which starts once the earlier ones have ended. */
export function scheduleRevision(
  config: SourceRevisionConfigAnswer,
  pending: readonly PendingRevision[],
  now: number,
  durationMs: number,
): NewRevision {
  const startsAt = Math.max(now, pending.at(-1)?.endsAt ?? now)
  return { id: randomUUID(), startsAt, endsAt: startsAt + durationMs, interruptedAt: null, config }
}

/** A new revision in its first state. */
export function asMade({ id, startsAt, endsAt, config }: NewRevision, now: number): Revision {
  const createdAt = new Date(now).toISOString()
  const begun = endsAt > now ? 'AWAITING_BUILD' : 'DEPLOYED'
  const status = startsAt > now ? 'QUEUED' : begun
  return { id, status, createdAt, updatedAt: createdAt, startsAt, endsAt, config: JSON.stringify(config) }
}

/** The times of an interrupted revision, and of the later ones, which no longer wait for it. */
export function withoutRevision(
  interrupted: Revision,
  pending: readonly PendingRevision[],
  now: number,
): { moved: RevisionTimes[]; left: RevisionTimes[] } {
  const { id, startsAt, endsAt } = interrupted
  const ended = { id, startsAt: startsAt ?? now, endsAt: endsAt ?? now, interruptedAt: now }
  const left: RevisionTimes[] = []
  for (const other of pending.filter((revision) => revision.id !== id)) {
    const duration = other.endsAt - other.startsAt
    // A revision that has started isn't moved.
    const earliest = Math.max(now, left.at(-1)?.endsAt ?? now)
    const start = other.startsAt <= now ? other.startsAt : Math.min(other.startsAt, earliest)
    left.push({ id: other.id, startsAt: start, endsAt: start + duration, interruptedAt: null })
  }
  return { moved: [ended, ...left], left }
}

/** When the next of some revisions is deployed (ISO 8601); null if none will be. */
export function nextEnd(revisions: readonly { endsAt: number }[]): string | null {
  const ends = revisions.map(({ endsAt }) => endsAt)
  return ends.length === 0 ? null : new Date(Math.min(...ends)).toISOString()
}
