import { z } from 'zod'
import type { historyDays, syncIntervals } from './choices'
import type { Deployment, Repository } from '../deployment-api/deployment'
import type { DeploymentSummary } from '../deployment-api/reading/summarise'
import type { UnreadableItem } from '../deployment-api/reading'
import type { CachedSummary, CacheState, Counts, StatusCounts } from './query'
import type { Failure } from '../core/outcome'

export * from './choices'
// What the page gets of a single deployment, and of an integration's repositories. Times are ISO 8601.

interface CachedRow {
  /** Since when the service no longer has it; null if it has, as far as is known. */
  goneAt: string | null
  /** When the service answered that it doesn't have it. Not set while it is out of reach. */
  missingAt?: string
}

/** A whole deployment, and its JSON as the service answered it, indented, with empty values of secrets. */
export interface DeploymentDetail {
  environmentId: string
  deployment: Deployment
  json: string
  /** Whether long texts, lists and objects were cut because it is too large. */
  shortened: boolean
  fetchedAt: string
  /** Set if it is from the cache, because the service is out of reach or doesn't have it. */
  fromCache?: CachedRow
}

export interface CachedDetail extends DeploymentDetail {
  fromCache: CachedRow
}

export interface RepositoryList {
  environmentId: string
  integrationId: string
  repositories: Repository[]
  unreadable: UnreadableItem[]
  /** How many the service sent. The last ones are left out if a listing can't hold them. */
  received: number
  fetchedAt: string
  /** Whether it is from the cache, because the service is out of reach. */
  fromCache?: boolean
}

export interface CachedRepositoryList extends RepositoryList {
  fromCache: true
}

/** How many deployments of one environment are read for what needs attention. */
export const maxForAttention = 100

/**
 * A change that was seen at a time, and when the deployment was last seen without it; null if it wasn't seen before.
 */
interface SeenChange {
  seenAt: string
  previousAt: string | null
}

/**
 * What decides whether a deployment needs attention. Times are ISO 8601; `fetched_at` is when the service last answered
 * with this state.
 */
export interface UnsettledDeployment extends Pick<
  CachedSummary,
  | 'id'
  | 'name'
  | 'status'
  | 'latest_revision_id'
  | 'active_revision_id'
  | 'created_at'
  | 'updated_at'
  | 'fetched_at'
> {
  /** The last changes of its status and of its latest revision; null if the history has none. */
  last_changes: { status: SeenChange | null; revision: SeenChange | null }
}

/**
 * The deployments that aren't settled: rolling out, awaiting something, or with a status that the interface doesn't
 * name. The ones that have been unsettled longest, at most `maxForAttention` of `total`.
 */
export interface Unsettled {
  deployments: UnsettledDeployment[]
  total: number
}

/** What the Overview shows of an environment. `interval` is the note of the interval of its synchronisations. */
export interface CacheOverview extends Pick<StatusCounts, 'counts' | 'others'> {
  unsettled: Unsettled
  interval: string | null
}

export const agentLimits = {
  /** Characters of an agent's key (`electron/domain/agents`). */
  key: 10_000,
  entries: 20_000,
  /** Deployments whose cells are read at once. */
  places: 5_000,
  /** Agents that are looked up by their keys, such as those of pinned rows. */
  only: 200,
  /** Deployments that an operator assigned to an agent by hand, over all environments. */
  assigned: 2_000,
} as const

export const agentKeySchema = z.string().min(1).max(agentLimits.key)

/** A deployment's place in its cache, and the key of its version. */
type Member = [number, string]

/**
 * The deployments of an agent that a cache has, without those that are gone: the agent's key, 1 if one of them matches
 * the search, and the deployments.
 */
export type AgentEntries = [string, number, Member[]][]

/** Deployments by their identifiers: identifier, place, key of the version, and 1 if it matches the search. */
export type FoundDeployments = [string, number, string, number][]

export interface CellDeployment extends DeploymentSummary {
  place: number
  /** The key of its agent, as it is inferred. */
  agent: string
  version: string
  fetched_at: string
  /**
   * Since when it has had its version and its status, as far as the service's times and the history say; null if they
   * don't.
   */
  since: string | null
}

export interface SyncProgressView {
  phase: 'reading' | 'confirming'
  /** The number of the pass, from 1. A list that changes is read again. */
  pass: number
  /** How many deployments the pass has read, and of about how many; null if unknown. */
  covered: number
  expected: number | null
  perSecond: number
  /** About how many seconds the pass has left; null if unknown. */
  secondsLeft: number | null
  automatic: boolean
}

interface SyncEnd {
  at: string
  end: 'complete' | 'unsettled' | 'cancelled' | 'failed' | 'paused'
  failure: Failure | null
  moving: boolean
  covered: number
  gone: number
}

export interface SyncState {
  environmentId: string
  /** Null if none is running. */
  progress: SyncProgressView | null
  last: SyncEnd | null
  /** Null if the cache can't be used; `problem` then says why. */
  cache: CacheState | null
  /** Where the cache is: encrypted on disk, or in memory for this session only. */
  storage: 'disk' | 'memory' | null
  intervalMinutes: (typeof syncIntervals)[number]
  /** What the operator should know about the cache, such as that a damaged one was set aside. */
  problem: string | null
}

export * from './choices'
// The past of a cache: changes of deployments, and when they were observed. Times are ISO 8601.

/**
 * The origin of the answer that shows a change: the list, a deployment's own screen, a synchronisation, a watch in the
 * background, or a creation from this machine.
 */
export type Observer = 'page' | 'open' | 'sync' | 'watch' | 'creation'

type ChangeKind =
  | 'appeared'
  | 'status'
  | 'latest-revision'
  | 'active-revision'
  | 'configuration'
  | 'secret-names'
  | 'gone'
  | 'back'

/** A difference between two answers about a deployment. It has no value of a secret, and long texts are cut. */
export interface Change {
  kind: ChangeKind
  /**
   * Of `configuration`: the member, such as `source_config.repo_url`. Null if more members changed than are listed, and
   * for other kinds.
   */
  member: string | null
  /**
   * `appeared`, `gone` and `back`: the status, where there was a deployment. `secret-names`: the names that were only
   * there before, and those that are only there after. Null for none.
   */
  before: string | null
  after: string | null
}

/** An entry of the history: a change, and when it was seen. */
export interface HistoryEntry extends Change {
  /**
   * Its place: later entries of the same cache have higher numbers, also if a clock was set back. Changes that the same
   * answer shows of a deployment have the same one.
   */
  point: number
  id: string
  name: string
  /** When the change was seen. It happened after `previousAt`, when the deployment was last seen without it. */
  seenAt: string
  /** Null if it wasn't seen before. */
  previousAt: string | null
  by: Observer
}

/** A time in which the environment was read so often that no lasting change went unseen. All other times are gaps. */
export interface Observed {
  from: string
  to: string
}

/** A part of an environment's history. */
interface HistoryPart {
  environmentId: string
  /** When the deployment, or the whole environment, was observed, oldest first. */
  observed: Observed[]
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: string | null
}

/** The history of one deployment, newest first. */
export interface DeploymentHistory extends HistoryPart {
  entries: HistoryEntry[]
  more: boolean
}

/** The changes of one deployment in a time, newest first. */
export interface ChangedDeployment {
  id: string
  name: string
  entries: HistoryEntry[]
  /** How many entries there are, if not all of them are listed. */
  total: number
}

export interface EnvironmentChanges extends HistoryPart {
  /** The deployments with changes, the one that changed last first. */
  deployments: ChangedDeployment[]
  total: number
  /** Whether there are so many changes that the oldest ones weren't read. Then `total` may be higher. */
  cut: boolean
  /** Identifies the history: a point belongs to one history only. */
  history: string
  /** The last point; 0 before there is one. Changes after it are new. */
  last: number
}

/**
 * How many deployments had each status, at moments that divide a time evenly. There are none before `since`. At moments
 * when the environment wasn't observed, counts are what was last known.
 */
export interface StatusHistory extends HistoryPart {
  moments: {
    at: string
    counts: Counts
    /** How many deployments had a status that no moment lists. */
    others: number
  }[]
}

export interface HistoryState {
  days: (typeof historyDays)[number]
  /** Roughly how many bytes of the disk it takes. */
  bytes: number
  entries: number
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: string | null
}

export const historyLimits = {
  /** Points of one deployment in an answer. */
  points: 200,
  /** Deployments in the changes of an environment, and entries of each. */
  deployments: 500,
  entriesEach: 20,
  /** Moments at which statuses are counted. */
  moments: 400,
} as const

/** Which part of a deployment's history: the newest points, or those before one. */
export const deploymentHistoryRequestSchema = z.strictObject({
  id: z.string().max(500),
  before: z.int().positive().nullable(),
  limit: z.int().min(1).max(historyLimits.points),
})

export type DeploymentHistoryRequest = z.infer<typeof deploymentHistoryRequestSchema>

/** Which changes of an environment: those that were seen since a time, and those after a point. Both count if given. */
export const changesRequestSchema = z.strictObject({
  since: z.iso.datetime().nullable(),
  after: z.int().min(0).nullable(),
  limit: z.int().min(1).max(historyLimits.deployments),
})

export type ChangesRequest = z.infer<typeof changesRequestSchema>

/** At how many moments since a time statuses are counted. */
export const statusHistoryRequestSchema = z.strictObject({
  since: z.iso.datetime(),
  moments: z.int().min(2).max(historyLimits.moments),
})

export type StatusHistoryRequest = z.infer<typeof statusHistoryRequestSchema>

/**
 * A deployment as it was after a point of its history, until the next one; 0 is before the first point that is kept.
 */
export const earlierRequestSchema = z.strictObject({ id: z.string().max(500), point: z.int().min(0) })

export type EarlierRequest = z.infer<typeof earlierRequestSchema>
