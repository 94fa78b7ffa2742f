import { z } from 'zod'
import { identifierSchema } from '../../app/environment'
import {
  agentKeySchema,
  type CachedDetail,
  type CellDeployment,
  changesRequestSchema,
  type DeploymentHistory,
  deploymentHistoryRequestSchema,
  earlierRequestSchema,
  type EnvironmentChanges,
  historyDays,
  type HistoryState,
  type StatusHistory,
  statusHistoryRequestSchema,
  type Unsettled,
} from '../../cache/answers'
import { ignoredFieldSchema, type IgnoredField } from '../../app/personal'
import { longestFilter } from '../../deployment-api/deployment'
import type { syncIntervals } from '../../cache/choices'
import { maxPerOverviewCall, boardLimits } from '../screens'
import { answerLimits } from '../../deployment-api/list'
import type { Failure } from '../../core/outcome'
import type { StatusCounts, CacheState } from '../../cache/query'
import { call, environmentId, namedService } from './call'

export interface FoundDeployment {
  environmentId: string
  id: string
  name: string
}

/** Input and output of the calls about comparing. They read caches, and make no request to a service. */
export const comparisonCalls = {
  /**
   * Cached deployments of every environment whose name or source contains a text: a few from each environment. `unread`
   * names environments whose caches couldn't be read. A failure in one environment doesn't affect the others.
   */
  'comparison.find': call<{ found: FoundDeployment[]; unread: string[] }>()({ search: z.string().max(200) }),
  /**
   * What the cache of an environment has of a deployment. Failures: the cache's and the keychain's, `not-found` if
   * nothing of it is cached.
   */
  'comparison.deployment': call<CachedDetail>()({ environmentId, id: z.string().min(1).max(longestFilter) }),
  /** The fields that comparisons leave out. Failures: the keychain's, `internal`. */
  'comparison.ignored': call<IgnoredField[]>()({}),
  /**
   * Starts or stops leaving a field out. Returns all fields that are left out. Failures: those of `annotations.save`.
   */
  'comparison.ignore': call<IgnoredField[]>()({ field: ignoredFieldSchema, isIgnored: z.boolean() }),
}

/**
 * The calls about the history in an environment's cache. They make no request to a service. Failures: those of
 * `cache.page`.
 */
export const historyCalls = {
  /** The history of a deployment: its newest points, or those before one. */
  'history.deployment': call<DeploymentHistory>()({ environmentId, request: deploymentHistoryRequestSchema }),
  /** What changed in an environment, by deployment. */
  'history.changes': call<EnvironmentChanges>()({ environmentId, request: changesRequestSchema }),
  /** How many deployments had each status. */
  'history.statuses': call<StatusHistory>()({ environmentId, request: statusHistoryRequestSchema }),
  /** A deployment as it was at an earlier point of its history; null if that isn't kept. */
  'history.earlier': call<CachedDetail | null>()({ environmentId, request: earlierRequestSchema }),
  /** The size of an environment's history. */
  'history.state': call<HistoryState>()({ environmentId }),
  /** Sets for how many days an environment's history is kept. Older entries are removed. */
  'history.keep': call<HistoryState>()({ environmentId, days: z.literal(historyDays) }),
}

const environmentIds = z.array(identifierSchema).max(maxPerOverviewCall)

/** What the cache of an environment has, if it has anything. */
export type CacheContent<Value> =
  | ({ state: 'cached' } & Value)
  | { state: 'not-synchronised' }
  | { state: 'failed'; failure: Failure }

/** What Slipway knows of an environment without a request to its service. */
interface EnvironmentOverview {
  environmentId: string
  /**
   * How the service answered when it was last asked, and since when that is so (ISO 8601). `failing`: with an error,
   * whatever was asked.
   */
  reach: { state: 'reached' | 'failing' | 'denied' | 'unreached' | 'unknown'; since: string | null }
  /** What the operator should know about the cache, such as that it isn't written any more; null for nothing. */
  problem: string | null
  content: CacheContent<
    Omit<StatusCounts, 'rollingOut' | 'types'> & {
      unsettled: Unsettled
      intervalMinutes: (typeof syncIntervals)[number]
    }
  >
}

interface EnvironmentChangesRead {
  environmentId: string
  content: CacheContent<{ changes: EnvironmentChanges }>
}

/** How many deployments of an environment had each status. */
interface StatusHistoryRead {
  environmentId: string
  content: CacheContent<{ history: StatusHistory }>
}

/**
 * Input and output of the calls of the Overview. They read caches and the journal, and make no request to a service.
 */
export const overviewCalls = {
  /** What is known of these environments. Environments that don't exist are left out. */
  'overview.read': call<EnvironmentOverview[]>()({ environmentIds }),
  /** What changed in environments since a time. Those that don't exist are left out. */
  'overview.changes': call<EnvironmentChangesRead[]>()({ environmentIds, since: z.iso.datetime() }),
  /** How many deployments of an environment had each status since a time. Failure: `not-found`. */
  'overview.statuses': call<StatusHistoryRead>()({ environmentId, since: z.iso.datetime() }),
}

export interface BoardDeployment extends CellDeployment {
  /** Whether the operator assigned it to its agent by hand. */
  byHand: boolean
}

/** What an environment has of an agent; `more` says how many further deployments there are. */
export interface BoardCell {
  deployments: BoardDeployment[]
  more: number
}

export interface BoardRow {
  /** The key of the agent (`electron/domain/agents`). */
  agent: string
  isPinned: boolean
  versionsDiffer: boolean
  /** Whether an environment that is completely known has no deployment of it. */
  isMissing: boolean
  /** By environment: those that were requested and could be read. */
  cells: Record<string, BoardCell>
}

export interface BoardColumn {
  environmentId: string
  state: 'cached' | 'not-synchronised' | 'failed'
  cache: CacheState | null
  failure: Failure | null
}

/** Input and output of the calls about agents in several environments. */
export const boardCalls = {
  /**
   * Rows of the board, from the caches of environments alone: nothing is sent. `snapshot` is null for the first rows,
   * and then that of their answer, so that rows keep their places. With `isWhole`, the answer waits until all rows are
   * counted. Environments that don't exist are left out. Failure: `environment-changed` if an environment leads to
   * another service by now, or the snapshot isn't known any more: request the first rows again.
   */
  'board.page': call<{
    snapshot: string
    /** How many rows are known by now. */
    total: number

    /** Whether those are all. */
    isWhole: boolean
    columns: BoardColumn[]
    rows: BoardRow[]
    /** Why the operator's own assignments and pins can't be read; null if they can. */
    personalFailure: Failure | null
  }>()({
    environmentIds: z.array(identifierSchema).max(boardLimits.columns),
    search: z.string().max(200),
    onlyDiffering: z.boolean(),
    snapshot: z.string().max(100).nullable(),
    offset: z.int().min(0),
    limit: z.int().min(0).max(boardLimits.rows),
    /** The environments whose cells are wanted. */
    cellsOf: z.array(identifierSchema).max(boardLimits.cellColumns),
    isWhole: z.boolean(),
  }),
  /**
   * Assigns a deployment to an agent by hand, or back to the inferred one (null). Returns the agent that it was
   * assigned to by hand before. Failures: the keychain's, `cache`, `environment-changed`, `invalid-input`, `disk-full`,
   * `internal`; `not-found` if the environment's cache doesn't have the deployment.
   */
  'agents.assign': call<{ before: string | null }>()({
    environmentId,
    service: namedService,
    deploymentId: z.string().min(1).max(answerLimits.identifierLength),
    agent: agentKeySchema.nullable(),
  }),
  /**
   * Pins an agent's row to the top, or unpins it. Failures: the keychain's, `invalid-input`, `disk-full`, `internal`.
   */
  'agents.pin': call<{ pinned: string[] }>()({ agent: agentKeySchema, isPinned: z.boolean() }),
}
