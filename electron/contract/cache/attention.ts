import { z } from 'zod'
import { cachedSummarySchema } from './query'

/** How many deployments of one environment are read for what needs attention. */
export const maxForAttention = 100

/**
 * What tells whether a deployment needs attention. Times are ISO 8601; `fetched_at` is when it was last seen like that.
 */
const unsettledDeploymentSchema = cachedSummarySchema.pick({
  id: true,
  name: true,
  status: true,
  latest_revision_id: true,
  active_revision_id: true,
  created_at: true,
  updated_at: true,
  fetched_at: true,
})

export type UnsettledDeployment = z.infer<typeof unsettledDeploymentSchema>

/**
 * The deployments that aren't settled: rolling out, awaiting something, or with a status that the interface doesn't
 * name. Those that have been like that for longest, up to `maxForAttention`, of `total`.
 */
export const unsettledSchema = z.object({
  deployments: z.array(unsettledDeploymentSchema).max(maxForAttention),
  total: z.int(),
})
