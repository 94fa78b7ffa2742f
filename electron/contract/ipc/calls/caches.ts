import { z } from 'zod'
import { identifierSchema } from '../../app/environment'
import {
  cachedDetailSchema,
  unsettledSchema,
  agentKeySchema,
  agentLimits,
  cellDeploymentSchema,
} from '../../cache/answers'
import { ignoredFieldSchema, comparisonLimits } from '../../app/personal'
import { longestFilter } from '../../deployment-api/list-query'
import {
  changesRequestSchema,
  deploymentHistoryRequestSchema,
  deploymentHistorySchema,
  earlierRequestSchema,
  environmentChangesSchema,
  historyDays,
  historyStateSchema,
  statusHistoryRequestSchema,
  statusHistorySchema,
} from '../../cache/history'
import { statusCountsSchema, cacheStateSchema } from '../../cache/query'
import { syncIntervals } from '../../cache/choices'
import { failureSchema } from '../../core/failure'
import { maxPerOverviewCall, boardLimits } from '../screens'
import { answerLimits } from '../../deployment-api/list'

/** A cached deployment that a side can be. */
const foundDeploymentSchema = z.object({ environmentId: z.string(), id: z.string(), name: z.string() })

export type FoundDeployment = z.infer<typeof foundDeploymentSchema>

/** Input and output of the calls about comparing. They read caches, and make no request to a service. */
export const comparisonCalls = {
  /**
   * Cached deployments of every environment whose name or source contains a text: a few from each environment. `unread`
   * names environments whose caches couldn't be read. A failure in one environment doesn't affect the others.
   */
  'comparison.find': {
    input: z.strictObject({ search: z.string().max(200) }),
    output: z.object({ found: z.array(foundDeploymentSchema), unread: z.array(z.string()) }),
  },
  /**
   * What the cache of an environment has of a deployment. Failures: the cache's and the keychain's, `not-found` if
   * nothing of it is cached.
   */
  'comparison.deployment': {
    input: z.strictObject({ environmentId: identifierSchema, id: z.string().min(1).max(longestFilter) }),
    output: cachedDetailSchema,
  },
  /** The fields that comparisons leave out. Failures: the keychain's, `internal`. */
  'comparison.ignored': { input: z.strictObject({}), output: z.array(ignoredFieldSchema) },
  /**
   * Starts or stops leaving a field out. Returns all fields that are left out. Failures: those of `annotations.save`.
   */
  'comparison.ignore': {
    input: z.strictObject({ field: ignoredFieldSchema, isIgnored: z.boolean() }),
    output: z.array(ignoredFieldSchema).max(comparisonLimits.ignored),
  },
}

/**
 * The calls about the history in an environment's cache. They make no request to a service. Failures: those of
 * `cache.page`.
 */
export const historyCalls = {
  /** The history of a deployment: its newest points, or those before one. */
  'history.deployment': {
    input: z.strictObject({ environmentId: identifierSchema, request: deploymentHistoryRequestSchema }),
    output: deploymentHistorySchema,
  },
  /** What changed in an environment, by deployment. */
  'history.changes': {
    input: z.strictObject({ environmentId: identifierSchema, request: changesRequestSchema }),
    output: environmentChangesSchema,
  },
  /** How many deployments had each status. */
  'history.statuses': {
    input: z.strictObject({ environmentId: identifierSchema, request: statusHistoryRequestSchema }),
    output: statusHistorySchema,
  },
  /** A deployment as it was at an earlier point of its history; null if that isn't kept. */
  'history.earlier': {
    input: z.strictObject({ environmentId: identifierSchema, request: earlierRequestSchema }),
    output: cachedDetailSchema.nullable(),
  },
  /** The size of an environment's history. */
  'history.state': {
    input: z.strictObject({ environmentId: identifierSchema }),
    output: historyStateSchema,
  },
  /** Sets for how many days an environment's history is kept. Older entries are removed. */
  'history.keep': {
    input: z.strictObject({ environmentId: identifierSchema, days: z.literal(historyDays) }),
    output: historyStateSchema,
  },
}

const environmentIds = z.array(identifierSchema).max(maxPerOverviewCall)

const notSynchronised = z.object({ state: z.literal('not-synchronised') })
const failed = z.object({ state: z.literal('failed'), failure: failureSchema })
const cached = z.object({ state: z.literal('cached') })

/** What Slipway knows of an environment without a request to its service. */
const environmentOverviewSchema = z.object({
  environmentId: z.string(),
  /**
   * How the service answered when it was last asked, and since when that is so (ISO 8601). `failing`: with an error,
   * whatever was asked.
   */
  reach: z.object({
    state: z.enum(['reached', 'failing', 'denied', 'unreached', 'unknown']),
    since: z.string().nullable(),
  }),
  /** What the operator should know about the cache, such as that it isn't written any more; null for nothing. */
  problem: z.string().nullable(),
  content: z.discriminatedUnion('state', [
    cached.extend({
      ...statusCountsSchema.omit({ rollingOut: true, types: true }).shape,
      unsettled: unsettledSchema,
      intervalMinutes: z.literal(syncIntervals),
    }),
    notSynchronised,
    failed,
  ]),
})

/** What changed in an environment. */
const environmentChangesReadSchema = z.object({
  environmentId: z.string(),
  content: z.discriminatedUnion('state', [
    cached.extend({ changes: environmentChangesSchema }),
    notSynchronised,
    failed,
  ]),
})

/** How many deployments of an environment had each status. */
const statusHistoryReadSchema = z.object({
  environmentId: z.string(),
  content: z.discriminatedUnion('state', [
    cached.extend({ history: statusHistorySchema }),
    notSynchronised,
    failed,
  ]),
})

/**
 * Input and output of the calls of the Overview. They read caches and the journal, and make no request to a service.
 */
export const overviewCalls = {
  /** What is known of these environments. Environments that don't exist are left out. */
  'overview.read': {
    input: z.strictObject({ environmentIds }),
    output: z.array(environmentOverviewSchema),
  },
  /** What changed in environments since a time. Those that don't exist are left out. */
  'overview.changes': {
    input: z.strictObject({ environmentIds, since: z.iso.datetime() }),
    output: z.array(environmentChangesReadSchema),
  },
  /** How many deployments of an environment had each status since a time. Failure: `not-found`. */
  'overview.statuses': {
    input: z.strictObject({ environmentId: identifierSchema, since: z.iso.datetime() }),
    output: statusHistoryReadSchema,
  },
}

/** A deployment in a cell of the board. */
const boardDeploymentSchema = cellDeploymentSchema.extend({
  /** Whether the operator assigned it to its agent by hand. */
  byHand: z.boolean(),
})

export type BoardDeployment = z.infer<typeof boardDeploymentSchema>

/** What an environment has of an agent; `more` says how many further deployments there are. */
const boardCellSchema = z.object({ deployments: z.array(boardDeploymentSchema), more: z.int() })

export type BoardCell = z.infer<typeof boardCellSchema>

/** An agent's row. */
const boardRowSchema = z.object({
  /** The key of the agent (`electron/domain/agents`). */
  agent: agentKeySchema,
  isPinned: z.boolean(),
  versionsDiffer: z.boolean(),
  /** Whether an environment that is completely known has no deployment of it. */
  isMissing: z.boolean(),
  /** By environment: those that were requested and could be read. */
  cells: z.record(z.string(), boardCellSchema),
})

export type BoardRow = z.infer<typeof boardRowSchema>

/** How much is known of an environment. */
const boardColumnSchema = z.object({
  environmentId: z.string(),
  state: z.enum(['cached', 'not-synchronised', 'failed']),
  cache: cacheStateSchema.nullable(),
  failure: failureSchema.nullable(),
})

export type BoardColumn = z.infer<typeof boardColumnSchema>

/** Input and output of the calls about agents in several environments. */
export const boardCalls = {
  /**
   * Rows of the board, from the caches of environments alone: nothing is sent. `snapshot` is null for the first rows,
   * and then that of their answer, so that rows keep their places. With `isWhole`, the answer waits until all rows are
   * counted. Environments that don't exist are left out. Failure: `environment-changed` if an environment leads to
   * another service by now, or the snapshot isn't known any more: request the first rows again.
   */
  'board.page': {
    input: z.strictObject({
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
    output: z.object({
      snapshot: z.string(),
      /** How many rows are known by now. */
      total: z.int(),
      /** Whether those are all. */
      isWhole: z.boolean(),
      columns: z.array(boardColumnSchema),
      rows: z.array(boardRowSchema),
      /** Why the operator's own assignments and pins can't be read; null if they can. */
      personalFailure: failureSchema.nullable(),
    }),
  },
  /**
   * Assigns a deployment to an agent by hand, or back to the inferred one (null). Returns the agent that it was
   * assigned to by hand before. Failures: the keychain's, `cache`, `environment-changed`, `invalid-input`, `disk-full`,
   * `internal`; `not-found` if the environment's cache doesn't have the deployment.
   */
  'agents.assign': {
    input: z.strictObject({
      environmentId: identifierSchema,
      /** Where the environment led when the page read the deployment (`Environment.service`). */
      service: z.string().max(1_000).nullable(),
      deploymentId: z.string().min(1).max(answerLimits.identifierLength),
      agent: agentKeySchema.nullable(),
    }),
    output: z.object({ before: agentKeySchema.nullable() }),
  },
  /**
   * Pins an agent's row to the top, or unpins it. Failures: the keychain's, `invalid-input`, `disk-full`, `internal`.
   */
  'agents.pin': {
    input: z.strictObject({ agent: agentKeySchema, isPinned: z.boolean() }),
    output: z.object({ pinned: z.array(agentKeySchema).max(agentLimits.only) }),
  },
}
