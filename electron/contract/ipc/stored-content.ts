import { z } from 'zod'
import {
  annotationSchema,
  comparisonLimits,
  ignoredFieldSchema,
  lastFilterLimits,
  lastFiltersSchema,
  recentChoiceSchema,
  recentLimits,
} from '../app/personal'
import { agentKeySchema } from '../cache/answers'
import { savedViewSchema } from '../cache/query'
import { answerLimits } from '../deployment-api/list'
import { offersSchema } from '../life/offers'
import { quietHoursSchema, watchNoticeSchema, watchSchema } from '../cache/watches'
import { watchLimits } from '../cache/choices'

/** A service that an environment leads to. A salted hash of base URL and tenant identifies it. */
const storedServiceSchema = z.object({
  environmentId: z.string(),
  salt: z.string(),
  service: z.string(),
})

export type StoredService = z.infer<typeof storedServiceSchema>

/** What is kept about the deployments of one service. */
const serviceAnnotationsSchema = storedServiceSchema.extend({ annotations: z.array(annotationSchema) })

/** The deployments of one service that were assigned to an agent by hand. */
const serviceAgentsSchema = storedServiceSchema.extend({
  deployments: z.array(z.object({ id: z.string(), agent: agentKeySchema })),
})

/** A choice in the command palette. A deployment's belongs to a service. */
const storedChoiceSchema = recentChoiceSchema.extend({ of: storedServiceSchema.nullable() })

/** What operators keep for themselves. Each member is stored by itself; one that can't be read counts as empty. */
export const personalSchema = z.object({
  /** Favourites, labels and notes. */
  services: z.array(serviceAnnotationsSchema).catch([]),
  views: z.array(savedViewSchema).catch([]),
  agents: z.array(serviceAgentsSchema).catch([]),
  /** The agents whose rows of the board are pinned. */
  pinnedAgents: z.array(agentKeySchema).catch([]),
  /** The filters that lists were left with, the latest first. */
  lastFilters: z
    .array(storedServiceSchema.extend({ filters: lastFiltersSchema }))
    .max(lastFilterLimits.services)
    .catch([]),
  /** What was chosen in the command palette, the latest first. */
  recent: z.array(storedChoiceSchema).max(recentLimits.count).catch([]),
  /** What the services of environments offer beside the interface: one for each environment. */
  offers: z.array(storedServiceSchema.extend({ offers: offersSchema })).catch([]),
  /** The fields that comparisons leave out. */
  ignoredFields: z.array(ignoredFieldSchema).max(comparisonLimits.ignored).catch([]),
})

export type PersonalContent = z.infer<typeof personalSchema>

/** The largest member that a change writes, in bytes: writing it doesn't block a process noticeably. */
export const largestPersonalMember = 4_000_000

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
