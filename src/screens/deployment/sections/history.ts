import type { CreationEntry, Deployment } from '@contract'
import { statusLook } from '@/format/deployment-status'
import { absoluteTime } from '@/format/time'
import type { SeenChange } from '@/stores/deployment/seen-changes'

/** Something that is known of a deployment's past. */
interface HistoryEvent {
  /** When it was, or when it was seen (ISO 8601). */
  at: string
  what: string
  /** More about it; null for none. */
  detail: string | null
  /** Revisions, shown in a fixed-width font; null for none. */
  revisions: string | null
  knownFrom: string
}

/** What is known of a deployment's past, and from where. */
export interface Known {
  deployment: Deployment
  /** Since when the cache has it as gone (ISO 8601); null if it isn't. */
  goneAt: string | null
  /** The attempts of this machine that created it, or may have. */
  creations: readonly CreationEntry[]
  /** What was seen to change. */
  changes: readonly SeenChange[]
  /** What a revision runs; null where it isn't known. */
  runs: (revisionId: string | null) => string | null
}

/** The events that are known, newest first. A service returns no earlier revisions, so nothing says that it is all. */
export function historyOf({ deployment, goneAt, creations, changes, runs }: Known): HistoryEvent[] {
  const { created_at, updated_at } = deployment
  const events: HistoryEvent[] = [
    ...(created_at === null ? [] : [fromService('Created', created_at)]),
    ...creations.map(ofCreation),
    // A service may answer both to the same moment, and then nothing was updated.
    ...(updated_at === null || updated_at === created_at ? [] : [fromService('Last updated', updated_at)]),
    ...changes.map((change) => ofChange(change, runs)),
    ...(goneAt === null ? [] : [ofGone(goneAt)]),
  ]
  return events.reverse().sort((one, other) => momentOf(other) - momentOf(one))
}

const plain = { detail: null, revisions: null }

const fromService = (what: string, at: string): HistoryEvent => ({ ...plain, at, what, knownFrom: 'Service' })

const ofGone = (at: string): HistoryEvent => ({
  ...plain,
  at,
  what: 'No longer at the service',
  knownFrom: 'Cache',
})

function ofCreation({ state, startedAt, lookup }: CreationEntry): HistoryEvent {
  const event = { ...plain, at: startedAt, knownFrom: 'Activity of this machine' }
  if (state !== 'created') {
    return {
      ...event,
      what: 'Creation attempted from this machine',
      detail: 'Unconfirmed: this deployment may be the result.',
    }
  }
  return {
    ...event,
    what: 'Created from this machine',
    detail: lookup ? 'The answer was lost; the deployment was found in the list.' : null,
  }
}

function ofChange({ member, before, after, at, previousAt }: SeenChange, runs: Known['runs']): HistoryEvent {
  const knownFrom = `Seen by Slipway; happened after ${absoluteTime(previousAt)}`
  if (member === 'status') {
    const what = `Status: ${labelOf(before)} → ${labelOf(after)}`
    return { ...plain, at, what, knownFrom }
  }
  const what = member === 'latest_revision_id' ? 'New latest revision' : 'New active revision'
  const running = runs(after)
  const detail = running === null ? null : `Runs ${running}`
  return { at, what, detail, revisions: `${before ?? 'none'} → ${after ?? 'none'}`, knownFrom }
}

const labelOf = (status: string | null): string => statusLook(status ?? '').label

/** For sorting. A time that can't be read comes last. */
function momentOf({ at }: HistoryEvent): number {
  const moment = Date.parse(at)
  return Number.isNaN(moment) ? 0 : moment
}
