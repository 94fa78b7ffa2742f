import { z } from 'zod'
import { deploymentSummarySchema } from '../deployment-api/deployment'

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
