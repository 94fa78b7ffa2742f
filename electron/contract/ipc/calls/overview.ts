import { z } from 'zod'
import { identifierSchema } from '../../app/environment/environment'
import { unsettledSchema } from '../../cache/attention'
import { environmentChangesSchema, statusHistorySchema } from '../../cache/history/history'
import { statusCountsSchema } from '../../cache/query/query'
import { syncIntervals } from '../../cache/sync/sync-intervals'
import { failureSchema } from '../../core/failure'
import { maxPerOverviewCall } from './overview-limits'

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
