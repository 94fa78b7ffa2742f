import { randomUUID } from 'node:crypto'
import { failure, failureText, type JournalGap, recentMs, type StoredFailure } from '@contract'

/**
 * How much time at most counts as passed between two readings of the clock, in milliseconds: a clock that was set
 * forward must not close the gap at once.
 */
const maxAtOnceMs = 24 * 3600 * 1000

/** How often the passed time is noted, in milliseconds. */
const noteEveryMs = 3600 * 1000

/** The entry that says what may be missing; `setAside` is the name of the former file. */
export function gapEntry(reason: JournalGap['reason'], setAside: string | null, now: Date): StoredFailure {
  const at = now.toISOString()
  const file = setAside === null ? '' : `The earlier file was kept as ${setAside} in Slipway's folder. `
  return {
    id: randomUUID(),
    startedAt: at,
    endedAt: at,
    environmentId: '',
    environmentName: '',
    account: null,
    kind: 'failure',
    action: 'Read the journal',
    failure: failure('internal', what[reason], { advice: file + untilThen }),
    gap: { reason, passedMs: 0, notedAt: at },
  }
}

const what = {
  key: "The journal's key in the keychain was deleted or replaced, so earlier entries can't be read.",
  changed:
    'The journal was changed outside Slipway, is damaged or is too large to read, so entries may be missing or false.',
} as const

const untilThen =
  'For seven days, Slipway asks the service whether a name exists before it creates a deployment with that name.'

/** The notice while a gap is open. */
export const gapNotice = ({ failure: reason }: StoredFailure): string => failureText(reason)

export const newerNotice =
  'The journal was written by a newer version of Slipway and was left unchanged. Update Slipway to see all of it. Until ' +
  'then, what you create is recorded in a separate file, and Slipway asks the service whether a name exists before it ' +
  'creates a deployment with that name.'

export const lockedNotice =
  "Earlier entries can't be read until the keychain answers. They are left unchanged. Until then, Slipway asks the " +
  'service whether a name exists before it creates a deployment with that name.'

/** Whether an entry is a gap that may still hide relevant attempts. After `recentMs`, none does. */
export function isOpen({ gap }: StoredFailure): boolean {
  return gap !== null && gap.passedMs < recentMs
}

/** The entry with the passed time; the same entry if it isn't worth noting yet. */
export function withTimePassed(entry: StoredFailure, now: Date): StoredFailure {
  if (entry.gap === null) return entry
  const sinceMs = now.getTime() - Date.parse(entry.gap.notedAt)
  if (sinceMs >= 0 && sinceMs < noteEveryMs) return entry
  const passedMs = entry.gap.passedMs + Math.min(Math.max(sinceMs, 0), maxAtOnceMs)
  return { ...entry, gap: { ...entry.gap, passedMs, notedAt: now.toISOString() } }
}
