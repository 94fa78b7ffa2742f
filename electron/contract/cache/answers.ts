import { z } from 'zod'
import { deploymentSchema, deploymentSummarySchema } from '../deployment-api/deployment'
import { unreadableItemSchema } from '../deployment-api/reading'
import { repositorySchema } from '../deployment-api/list-query'
import { cachedSummarySchema, statusCountsSchema, cacheStateSchema } from './query'
import { failureSchema } from '../core/failure'
import { syncIntervals } from './choices'

// What the page gets of a single deployment, and of an integration's repositories. Times are ISO 8601.

const cachedRowSchema = z.object({
  /** Since when the service no longer has it; null if it has, as far as is known. */
  goneAt: z.string().nullable(),
  /** When the service answered that it doesn't have it. Not set while it is out of reach. */
  missingAt: z.string().optional(),
})

/** A whole deployment, and its JSON as the service answered it, indented, with empty values of secrets. */
export const deploymentDetailSchema = z.object({
  environmentId: z.string(),
  deployment: deploymentSchema,
  json: z.string(),
  /** Whether long texts, lists and objects were cut because it is too large. */
  shortened: z.boolean(),
  fetchedAt: z.string(),
  /** Set if it is from the cache, because the service is out of reach or doesn't have it. */
  fromCache: cachedRowSchema.optional(),
})

export type DeploymentDetail = z.infer<typeof deploymentDetailSchema>

/** A deployment from the cache. */
export const cachedDetailSchema = deploymentDetailSchema.extend({ fromCache: cachedRowSchema })

export type CachedDetail = z.infer<typeof cachedDetailSchema>

export const repositoryListSchema = z.object({
  environmentId: z.string(),
  integrationId: z.string(),
  repositories: z.array(repositorySchema),
  unreadable: z.array(unreadableItemSchema),
  /** How many the service sent. The last ones are left out if a listing can't hold them. */
  received: z.int(),
  fetchedAt: z.string(),
  /** Whether it is from the cache, because the service is out of reach. */
  fromCache: z.boolean().optional(),
})

export type RepositoryList = z.infer<typeof repositoryListSchema>

/** A list of repositories from the cache. */
export const cachedRepositoryListSchema = repositoryListSchema.extend({ fromCache: z.literal(true) })

export type CachedRepositoryList = z.infer<typeof cachedRepositoryListSchema>

/** How many deployments of one environment are read for what needs attention. */
export const maxForAttention = 100

/**
 * A change that was seen at a time, and when the deployment was last seen without it; null if it wasn't seen before.
 */
const seenChangeSchema = z.object({ seenAt: z.string(), previousAt: z.string().nullable() })

/**
 * What decides whether a deployment needs attention. Times are ISO 8601; `fetched_at` is when the service last answered
 * with this state.
 */
const unsettledDeploymentSchema = cachedSummarySchema
  .pick({
    id: true,
    name: true,
    status: true,
    latest_revision_id: true,
    active_revision_id: true,
    created_at: true,
    updated_at: true,
    fetched_at: true,
  })
  .extend({
    /** The last changes of its status and of its latest revision; null if the history has none. */
    last_changes: z.object({ status: seenChangeSchema.nullable(), revision: seenChangeSchema.nullable() }),
  })

export type UnsettledDeployment = z.infer<typeof unsettledDeploymentSchema>

/**
 * The deployments that aren't settled: rolling out, awaiting something, or with a status that the interface doesn't
 * name. The ones that have been unsettled longest, at most `maxForAttention` of `total`.
 */
export const unsettledSchema = z.object({
  deployments: z.array(unsettledDeploymentSchema).max(maxForAttention),
  total: z.int(),
})

/** What the Overview shows of an environment. `interval` is the note of the interval of its synchronisations. */
export const cacheOverviewSchema = z.object({
  ...statusCountsSchema.pick({ counts: true, others: true }).shape,
  unsettled: unsettledSchema,
  interval: z.string().nullable(),
})

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
const memberSchema = z.tuple([z.int(), z.string()])

/**
 * The deployments of an agent that a cache has, without those that are gone: the agent's key, 1 if one of them matches
 * the search, and the deployments.
 */
export const agentEntriesSchema = z.array(z.tuple([z.string(), z.int(), z.array(memberSchema)]))

/** Deployments by their identifiers: identifier, place, key of the version, and 1 if it matches the search. */
export const foundDeploymentsSchema = z.array(z.tuple([z.string(), z.int(), z.string(), z.int()]))

/** A deployment in a cell of the board. */
export const cellDeploymentSchema = deploymentSummarySchema.extend({
  place: z.int(),
  /** The key of its agent, as it is inferred. */
  agent: z.string(),
  version: z.string(),
  fetched_at: z.string(),
  /**
   * Since when it has had its version and its status, as far as the service's times and the history say; null if they
   * don't.
   */
  since: z.string().nullable(),
})

export type CellDeployment = z.infer<typeof cellDeploymentSchema>

export * from './choices'

/** The progress of a synchronisation. */
const syncProgressSchema = z.object({
  phase: z.enum(['reading', 'confirming']),
  /** The number of the pass, from 1. A list that changes is read again. */
  pass: z.int(),
  /** How many deployments the pass has read, and of about how many; null if unknown. */
  covered: z.int(),
  expected: z.int().nullable(),
  perSecond: z.number(),
  /** About how many seconds the pass has left; null if unknown. */
  secondsLeft: z.number().nullable(),
  /** Whether it runs in the background. */
  automatic: z.boolean(),
})

export type SyncProgressView = z.infer<typeof syncProgressSchema>

/** How the last synchronisation of this session ended. */
const syncEndSchema = z.object({
  at: z.string(),
  end: z.enum(['complete', 'unsettled', 'cancelled', 'failed', 'paused']),
  failure: failureSchema.nullable(),
  moving: z.boolean(),
  covered: z.int(),
  gone: z.int(),
})

/** The cache of an environment and its synchronisation. */
export const syncStateSchema = z.object({
  environmentId: z.string(),
  /** Null if none is running. */
  progress: syncProgressSchema.nullable(),
  last: syncEndSchema.nullable(),
  /** Null if the cache can't be used; `problem` then says why. */
  cache: cacheStateSchema.nullable(),
  /** Where the cache is: encrypted on disk, or in memory for this session only. */
  storage: z.enum(['disk', 'memory']).nullable(),
  intervalMinutes: z.literal(syncIntervals),
  /** What the operator should know about the cache, such as that a damaged one was set aside. */
  problem: z.string().nullable(),
})

export type SyncState = z.infer<typeof syncStateSchema>
