import { z } from 'zod'
import type { syncIntervals } from './choices'
import type { Deployment, DeploymentSummary } from '../deployment-api/deployment'
import type { Repository } from '../deployment-api/list-query'
import type { UnreadableItem } from '../deployment-api/reading'
import type { CachedSummary, StatusCounts, CacheState } from './query'
import type { Failure } from '../core/failure'

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

/** A deployment from the cache. */
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

/** A list of repositories from the cache. */
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

/** Limits of requests about agents to the cache process. */
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
  /** Bytes that pinned agents and such assignments take in the file that also has notes. */
  kept: 1_000_000,
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

/** A deployment in a cell of the board. */
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

export * from './choices'

/** The progress of a synchronisation. */
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
  /** Whether it runs in the background. */
  automatic: boolean
}

/** How the last synchronisation of this session ended. */
interface SyncEnd {
  at: string
  end: 'complete' | 'unsettled' | 'cancelled' | 'failed' | 'paused'
  failure: Failure | null
  moving: boolean
  covered: number
  gone: number
}

/** The cache of an environment and its synchronisation. */
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
