import { type Answers, type CallOutput, type Connection, fail, succeed } from '@contract'
import { type CacheState, defaultSyncInterval, type SyncState } from '@contract/cache'
import type { CacheContent } from '@contract/ipc/calls/caches'
import { maxChangedPerEnvironment, statusMoments } from '@contract/ipc/screens'
import { type Call as ServiceCall, reachOf } from '@domain/attention'
import type { AllCaches, EnvironmentAnswer } from './all-caches'
import { accountIdentity, serviceIdentity, notFound } from '../environments/known'
import { isServiceError, isUnreachable } from '../http/failures'
import type { HttpTarget } from '../http/client'
import type { Journal, StoredEntry } from '../stored/journal'

type EnvironmentOverview = CallOutput<'overview.read'>[number]

interface OverviewParts {
  allCaches: AllCaches
  journal: Pick<Journal, 'entries'>
  /** Where an environment leads now; null if that isn't known. */
  targetOf: (environmentId: string) => HttpTarget | null
  /** What the latest requests of this session showed. */
  connectionOf: (environmentId: string) => Connection
  /** What the operator should know about a cache; null for nothing. */
  problemOf: (environmentId: string) => string | null
}

/** What is known about environments, without asking their services. */
export function createOverview(parts: OverviewParts): Answers<'overview'> {
  const { allCaches, journal, targetOf, connectionOf, problemOf } = parts
  return {
    async 'overview.read'({ environmentIds }, signal) {
      const answers = await allCaches.ask('overview', {}, { environmentIds, signal })
      const entries = await journal.entries()
      return succeed(
        answers.map((answer): EnvironmentOverview => {
          const { environmentId } = answer
          const cache = answer.state === 'cached' ? answer.cache : null
          return {
            environmentId,
            reach: reachOf([
              ...callsOfSession(connectionOf(environmentId)),
              ...(cache?.newestAt ? [{ at: cache.newestAt, end: 'answered' as const }] : []),
              ...callsIn(entries, environmentId, targetOf(environmentId)),
            ]),
            problem: problemOf(environmentId),
            content: contentOf(answer, ({ counts, others, unsettled, interval }, cached) => ({
              ...{ cache: cached, counts, others, unsettled },
              intervalMinutes:
                interval === null ? defaultSyncInterval : (Number(interval) as SyncState['intervalMinutes']),
            })),
          }
        }),
      )
    },

    async 'overview.changes'({ environmentIds, since }, signal) {
      const request = { since, after: null, limit: maxChangedPerEnvironment }
      const answers = await allCaches.ask('changes', { request }, { environmentIds, signal })
      return succeed(
        answers.map((answer) => ({
          environmentId: answer.environmentId,
          content: contentOf(answer, (changes) => ({ changes })),
        })),
      )
    },

    async 'overview.statuses'({ environmentId, since }, signal) {
      const request = { since, moments: statusMoments }
      const environmentIds = [environmentId]
      const [answer] = await allCaches.ask('status-history', { request }, { environmentIds, signal })
      if (!answer) return fail(notFound())
      return succeed({ environmentId, content: contentOf(answer, (history) => ({ history })) })
    },
  }
}

/** An answer without its environment; `of` turns its value into the page's form. */
function contentOf<Value, Content>(
  answer: EnvironmentAnswer<Value>,
  of: (value: Value, cache: CacheState) => Content,
): CacheContent<Content> {
  if (answer.state === 'cached') return { state: 'cached', ...of(answer.value, answer.cache) }
  const { environmentId: _environmentId, ...content } = answer
  return content
}

/** What the latest requests of this session showed. */
function callsOfSession({ state, at, reason }: Connection): ServiceCall[] {
  const online = reason === null ? 'answered' : 'failing'
  const ends = { online, denied: 'denied', offline: 'unreached', unknown: null } as const
  const end = ends[state]
  return end !== null && at !== null ? [{ at, end }] : []
}

/**
 * The calls in the journal to the service that an environment leads to now, and but for creations to the account there.
 * Before an edit, it led elsewhere.
 */
function callsIn(
  entries: readonly StoredEntry[],
  environmentId: string,
  target: HttpTarget | null,
): ServiceCall[] {
  if (target === null) return []
  const [service, account] = [serviceIdentity(target), accountIdentity(target)]
  return entries.flatMap((entry) => {
    if (entry.environmentId !== environmentId) return []
    const isHere = entry.kind === 'creation' ? entry.service === service : entry.account === account
    return isHere ? callOf(entry) : []
  })
}

/** The call of an entry; none if it was never sent, or is still running. */
function callOf(entry: StoredEntry): ServiceCall[] {
  const at = entry.endedAt ?? entry.startedAt
  const { failure } = entry
  if (failure) {
    if (isUnreachable(failure)) return [{ at, end: 'unreached' }]
    if (failure.code === 'unauthorised') return [{ at, end: 'denied' }]
    if (isServiceError(failure)) return [{ at, end: 'failing' }]
    return failure.status === null ? [] : [{ at, end: 'answered' }]
  }
  const isAnswered =
    (entry.kind === 'synchronisation' && entry.state === 'complete') ||
    (entry.kind === 'creation' && entry.state === 'created')
  return isAnswered ? [{ at, end: 'answered' }] : []
}
