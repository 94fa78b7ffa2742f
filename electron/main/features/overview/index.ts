import {
  type CallOutput,
  type Connection,
  type JournalEntry,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import { cacheNotes, type CacheState, syncIntervals, defaultSyncInterval } from '@contract/cache'
import { type Call, reachOf } from '@domain/attention/reach'
import type { AllCaches, EnvironmentAnswer } from '../all-caches'
import { isUnreachable } from '../../http/connections'
import type { Journal } from '../../journal'

type EnvironmentOverview = CallOutput<'overview.read'>[number]
/** What is read of each cache. */
type Known = Omit<Extract<EnvironmentOverview['content'], { state: 'cached' }>, 'state' | 'cache'>

/** What Slipway knows of environments, without asking their services. */
export interface Overview {
  read: (
    input: ParsedCallInput<'overview.read'>,
    signal: AbortSignal,
  ) => Promise<Outcome<EnvironmentOverview[]>>
}

interface OverviewParts {
  allCaches: AllCaches
  journal: Pick<Journal, 'list'>
  /** What the latest requests of this session showed. */
  connectionOf: (environmentId: string) => Connection
}

/** How many entries of the journal are looked through for calls: all that it keeps. */
const maxEntries = 1000

export function createOverview({ allCaches, journal, connectionOf }: OverviewParts): Overview {
  return {
    async read({ environmentIds }, signal) {
      const answers = await allCaches.read(
        async (reader) => {
          const statuses = await reader.ask('statuses', {})
          if (!statuses.ok) return statuses
          const unsettled = await reader.ask('unsettled', {})
          if (!unsettled.ok) return unsettled
          const interval = await reader.ask('read-note', { key: cacheNotes.interval })
          if (!interval.ok) return interval
          const { counts } = statuses.value
          return succeed({ counts, unsettled: unsettled.value, intervalMinutes: intervalOf(interval.value) })
        },
        { environmentIds, signal },
      )
      const entries = await journal.list(maxEntries)
      return succeed(
        answers.map((answer): EnvironmentOverview => {
          const { environmentId } = answer
          const cache = answer.state === 'cached' ? answer.cache : null
          return {
            environmentId,
            reach: reachOf(callsTo(environmentId, entries, connectionOf(environmentId), cache)),
            content: contentOf(answer),
          }
        }),
      )
    },
  }
}

function contentOf(answer: EnvironmentAnswer<Known>): EnvironmentOverview['content'] {
  if (answer.state === 'cached') return { state: 'cached', cache: answer.cache, ...answer.value }
  return answer.state === 'failed'
    ? { state: 'failed', failure: answer.failure }
    : { state: 'not-synchronised' }
}

/** The interval in a cache's note; the usual one if there is none, or another version wrote it. */
const intervalOf = (note: string | null): (typeof syncIntervals)[number] =>
  syncIntervals.find((minutes) => note !== null && minutes === Number(note)) ?? defaultSyncInterval

/** What is known of the calls to an environment's service. */
function callsTo(
  environmentId: string,
  entries: readonly JournalEntry[],
  { state, at }: Connection,
  cache: CacheState | null,
): Call[] {
  const ends = { online: 'answered', denied: 'denied', offline: 'unreached', unknown: null } as const
  const end = ends[state]
  return [
    ...(end !== null && at !== null ? [{ at, end }] : []),
    ...(cache?.newestAt ? [{ at: cache.newestAt, end: 'answered' as const }] : []),
    ...entries.flatMap((entry) => (entry.environmentId === environmentId ? callOf(entry) : [])),
  ]
}

/** The call of an entry; none if it never left, or still runs. */
function callOf(entry: JournalEntry): Call[] {
  const at = entry.endedAt ?? entry.startedAt
  const { failure } = entry
  if (failure) {
    if (isUnreachable(failure)) return [{ at, end: 'unreached' }]
    if (failure.code === 'unauthorised') return [{ at, end: 'denied' }]
    return failure.status === null ? [] : [{ at, end: 'answered' }]
  }
  const isAnswered =
    (entry.kind === 'synchronisation' && entry.state === 'complete') ||
    (entry.kind === 'creation' && entry.state === 'created')
  return isAnswered ? [{ at, end: 'answered' }] : []
}
