import { z } from 'zod'
import { identifierSchema } from '../app/environment'
import { unsettledSchema } from '../cache/attention'
import { statusCountsSchema } from '../cache/query'
import { syncIntervals } from '../cache/sync-intervals'
import { failureSchema } from '../core/failure'
import { maxPerOverviewCall } from './overview-limits'

/** What Slipway knows of an environment without asking its service. */
const environmentOverviewSchema = z.object({
  environmentId: z.string(),
  /** Whether the service could be reached when it was last asked, and since when that is so (ISO 8601). */
  reach: z.object({
    state: z.enum(['reached', 'denied', 'unreached', 'unknown']),
    since: z.string().nullable(),
  }),
  content: z.discriminatedUnion('state', [
    statusCountsSchema.extend({
      state: z.literal('cached'),
      unsettled: unsettledSchema,
      intervalMinutes: z.literal(syncIntervals),
    }),
    z.object({ state: z.literal('not-synchronised') }),
    z.object({ state: z.literal('failed'), failure: failureSchema }),
  ]),
})

/** Input and output of the calls of the Overview. They read caches and the journal, and ask no service. */
export const overviewCalls = {
  /** What is known of environments. Those that don't exist are left out. */
  'overview.read': {
    input: z.strictObject({ environmentIds: z.array(identifierSchema).max(maxPerOverviewCall) }),
    output: z.array(environmentOverviewSchema),
  },
}
