import { z } from 'zod'
import { answerLimits } from '../deployment-api/list/list-limits'
import { quietHoursSchema, watchNoticeSchema, watchSchema } from '../cache/watches/watches'
import { watchLimits } from '../cache/watches/watch-limits'
import { storedServiceSchema } from './personal-content'

/** A service's text as it is in lists. */
const text = z.string().max(answerLimits.summaryTextLength + 1)

const state = {
  status: text,
  latest: text.nullable(),
  active: text.nullable(),
  runs: text.nullable(),
}

/** A time in milliseconds since 1970. */
const moment = z.number()

const followedSchema = z.object({
  id: z.string(),
  ...state,
  by: z.array(z.string()),
  isGone: z.boolean(),
  pending: z.object({ to: z.object(state), since: moment }).nullable(),
  inactiveSince: moment.nullable(),
  /** The hashes of its revisions and of the transitions that were reported, or didn't have to be. */
  reported: z.array(z.string()),
})

/** What is known of a watched service that an environment leads to. */
const watchedServiceSchema = storedServiceSchema.extend({
  outage: z.object({ since: moment, isTold: z.boolean(), answersSince: moment.nullable() }).nullable(),
  followed: z.array(followedSchema),
})

/**
 * A watch belongs to a service. A list begins with a complete synchronisation. One that is too long is marked
 * as such.
 */
const storedWatchSchema = watchSchema.extend({
  ...storedServiceSchema.shape,
  hasBegun: z.boolean(),
  isTooLong: z.boolean(),
})

/** A notice belongs to a service. */
const storedNoticeSchema = watchNoticeSchema.extend({
  salt: storedServiceSchema.shape.salt,
  service: storedServiceSchema.shape.service,
})

export type StoredNotice = z.infer<typeof storedNoticeSchema>

export type StoredWatch = z.infer<typeof storedWatchSchema>

/** Watches, their notices, and the transitions that were reported (`reported`). */
export const watchesSchema = z.object({
  watches: z.array(storedWatchSchema).max(watchLimits.count),
  /** Newest first. */
  notices: z.array(storedNoticeSchema).max(watchLimits.notices),
  quiet: quietHoursSchema,
  services: z.array(watchedServiceSchema),
})

export type WatchesContent = z.infer<typeof watchesSchema>
