import { type CreationEntry, type Deployment, foundIn } from '@contract'
import type { Change, Observer } from '@contract/cache'
import type { TimelineGap, TimelinePoint } from '@domain/timeline'
import { pathLabel } from '@domain/labels/path-label'
import { statusLook } from '@/ui/format/deployment'
import { absoluteTime } from '@/ui/format/time'

/** A known event in a deployment's past. */
export interface HistoryEvent {
  kind: 'event'
  /** When it happened, or when it was seen (ISO 8601). */
  at: string
  /** What happened. Text from a service is shown unchanged. */
  facts: HistoryFact[]
  knownFrom: string
  /** The point of the cache's history with the deployment as it was then; null if there is none. */
  point: number | null
}

/** A line about an event. */
interface HistoryFact {
  what: string
  /** The value before and after, shown in a fixed-width font. */
  values?: string
  /** More about it. */
  detail?: string | null
}

/** The sources of what is known about a deployment's past. */
export interface Known {
  deployment: Deployment
  /** Since when it is marked as gone in the cache (ISO 8601); null if it isn't. */
  goneAt: string | null
  /** The attempts of this machine that created it, or may have. */
  creations: readonly CreationEntry[]
  /** The cache's history, newest first. */
  timeline: readonly (TimelinePoint | TimelineGap)[]
  /** What a revision runs; null if that isn't known. */
  runs: (revisionId: string | null) => string | null
}

/**
 * The known events and the times without observation, newest first. A service returns no earlier revisions, so the
 * list may be incomplete.
 */
export function historyOf(known: Known): (HistoryEvent | TimelineGap)[] {
  const { deployment, goneAt, creations, timeline, runs } = known
  const { created_at, updated_at } = deployment
  const isGoneRecorded = timeline.some((item) => item.kind === 'point' && hasKind(item, 'gone'))
  // A service may return the same time for both. Then nothing was updated.
  const isUpdated = updated_at !== null && updated_at !== created_at
  const others: HistoryEvent[] = [
    ...(created_at === null ? [] : [event(created_at, 'Service', [{ what: 'Created' }])]),
    ...creations.map(ofCreation),
    ...(isUpdated ? [event(updated_at, 'Service', [{ what: 'Last updated' }])] : []),
    ...(goneAt === null || isGoneRecorded ? [] : [event(goneAt, 'Cache', [isGone])]),
  ]
  const items = timeline.map((item) => (item.kind === 'gap' ? item : ofPoint(item, runs)))
  others.sort((one, other) => momentOf(one) - momentOf(other))
  for (const event of others) {
    const place = items.findIndex((item) => momentOf(item) <= momentOf(event))
    items.splice(place === -1 ? items.length : place, 0, event)
  }
  return items
}

/** Whether an attempt created a deployment; or, of one that is unconfirmed, whether it may have. */
export function mayHaveCreated({ state, deploymentId, lookup }: CreationEntry, id: string): boolean {
  if (state === 'created') return deploymentId === id
  return state === 'unconfirmed' && lookup !== null && foundIn(lookup).some((found) => found.id === id)
}

const hasKind = ({ changes }: TimelinePoint, kind: Change['kind']): boolean =>
  changes.some((change) => change.kind === kind)

const event = (
  at: string,
  knownFrom: string,
  facts: HistoryFact[],
  point: number | null = null,
): HistoryEvent => ({ kind: 'event', at, facts, knownFrom, point })

const isGone: HistoryFact = { what: 'No longer at the service' }

function ofCreation({ state, startedAt, lookup }: CreationEntry): HistoryEvent {
  const fact =
    state === 'created'
      ? {
          what: 'Created from this machine',
          detail: lookup && 'The answer was lost; the deployment was found in the list.',
        }
      : {
          what: 'Creation attempted from this machine',
          detail: 'Unconfirmed: this deployment may be the result.',
        }
  return event(startedAt, 'Activity of this machine', [fact])
}

const observerLabels: Record<Observer, string> = {
  page: 'Seen in the list',
  open: 'Seen on its own screen',
  sync: 'Seen by a sync',
  watch: 'Seen by a watch',
  creation: 'Seen in the answer to its creation',
}

function ofPoint(item: TimelinePoint, runs: Known['runs']): HistoryEvent {
  const { point, seenAt, previousAt, by, changes } = item
  const after = previousAt === null ? '' : `; happened after ${absoluteTime(previousAt)}`
  const facts = changes.map((change) => ofChange(change, runs))
  // A deployment that is gone has no content.
  return event(seenAt, `${observerLabels[by]}${after}`, facts, hasKind(item, 'gone') ? null : point)
}

function ofChange({ kind, member, before, after }: Change, runs: Known['runs']): HistoryFact {
  const values = `${before ?? 'none'} → ${after ?? 'none'}`
  switch (kind) {
    case 'appeared':
      return { what: `New in the environment: ${labelOf(after)}` }
    case 'gone':
      return isGone
    case 'back':
      return { what: `Back at the service: ${labelOf(after)}` }
    case 'status':
      return { what: `Status: ${labelOf(before)} → ${labelOf(after)}` }
    case 'latest-revision':
      return { what: 'New latest revision', values, detail: whatRuns(runs(after)) }
    case 'active-revision':
      return { what: 'New active revision', values, detail: whatRuns(runs(after)) }
    case 'configuration':
      return member === null
        ? { what: 'Further members of the configuration' }
        : { what: pathLabel(member), values }
    case 'secret-names':
      return { what: 'Names of secrets', detail: secretNames(before, after) }
  }
}

const whatRuns = (running: string | null): string | null => running && `Runs ${running}`

function secretNames(removed: string | null, added: string | null): string {
  if (added === null) return `Removed: ${removed}`
  return removed === null ? `Added: ${added}` : `Added: ${added}; removed: ${removed}`
}

const labelOf = (status: string | null): string => statusLook(status ?? '').label

/** For sorting. A time that can't be read comes last. */
function momentOf(item: HistoryEvent | TimelineGap): number {
  const moment = Date.parse(item.kind === 'gap' ? (item.to ?? new Date().toISOString()) : item.at)
  return Number.isNaN(moment) ? 0 : moment
}
