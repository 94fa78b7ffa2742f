import { z } from 'zod'
import { identifierSchema } from '../../app/environment/environment'
import { cachedDetailSchema } from '../../cache/detail'
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
} from '../../cache/history/history'

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
