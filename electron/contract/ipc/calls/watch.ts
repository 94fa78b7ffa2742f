import { z } from 'zod'
import { identifierSchema } from '../../app/environment/environment'
import {
  noticeEntrySchema,
  quietHoursSchema,
  watchChangeSchema,
  watchesStateSchema,
  watchToAddSchema,
} from '../../cache/watches/watches'
import { watchLimits } from '../../cache/watches/watch-limits'

const noticeIds = z.array(identifierSchema).max(watchLimits.notices)

/**
 * Input and output of the calls about watches and their notices. A call that changes something returns once the change
 * is on disk. The event `watches.changed` then has the new state. Failures: the keychain's, `disk-full`, `internal`.
 */
export const watchCalls = {
  /** The watches and their notices. Later states come as the event `watches.changed`. */
  'watches.state': { input: z.strictObject({}), output: watchesStateSchema },
  /**
   * Watches a deployment or a list. Returns the watch's identifier. Failures: also `environment-changed` if the
   * environment leads elsewhere by now, and `invalid-input` beyond the limits.
   */
  'watches.add': { input: watchToAddSchema, output: z.object({ id: z.string() }) },
  /** Changes what a watch reports. Failures: also `not-found`. */
  'watches.change': { input: watchChangeSchema, output: z.null() },
  /** Ends watches. */
  'watches.remove': {
    input: z.strictObject({ ids: z.array(identifierSchema).min(1).max(watchLimits.count) }),
    output: z.null(),
  },
  /**
   * Makes a watch of an edited environment follow the service that the environment leads to now. Until then, that
   * service got no request for it. Failures: also `not-found`, `environment-changed`.
   */
  'watches.follow': {
    input: z.strictObject({ id: identifierSchema, service: z.string().max(1_000).nullable() }),
    output: z.null(),
  },
  /** All entries of a notice. The state has only the first ones. Failures: also `not-found`. */
  'watches.entries': {
    input: z.strictObject({ id: identifierSchema }),
    output: z.array(noticeEntrySchema).max(watchLimits.entries),
  },
  'watches.markRead': { input: z.strictObject({ ids: noticeIds, isRead: z.boolean() }), output: z.null() },
  'watches.dismiss': { input: z.strictObject({ ids: noticeIds }), output: z.null() },
  /** Restores what the last `watches.dismiss` of this session dismissed, as far as it still exists. */
  'watches.restore': { input: z.strictObject({}), output: z.null() },
  'watches.setQuiet': { input: z.strictObject({ quiet: quietHoursSchema }), output: z.null() },
}
