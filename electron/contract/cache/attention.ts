import { z } from 'zod'
import { cachedSummarySchema, statusCountsSchema } from './query/query'

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
