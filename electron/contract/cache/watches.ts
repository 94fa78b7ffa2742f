import { z } from 'zod'
import { identifierSchema } from '../app/environment'
import { isVisible, isWellFormed } from '../core/text'
import { answerLimits } from '../deployment-api/list'
import { liveOnlyMembers } from './filters'
import { filtersSchema } from './query'
import { stuckMinutes, type WatchKind, watchKinds, watchLimits } from './choices'

const listNameSchema = z
  .string()
  .trim()
  .min(1, 'Enter a name.')
  .max(watchLimits.nameLength, `Use at most ${watchLimits.nameLength} characters.`)
  .refine(isVisible, 'Use visible characters only.')

/** Filters and search of a list that the cache can answer by itself. */
const watchedQuerySchema = z.strictObject({
  filters: filtersSchema.refine(
    (filters) => !filters.ids && liveOnlyMembers.every((member) => (filters[member] ?? '') === ''),
    'The cache has no list with these filters.',
  ),
  search: z.string().max(200),
})

/** The subject of a watch: one deployment, or a list with its filters. */
const watchedSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('deployment'),
    deploymentId: z.string().min(1).max(answerLimits.identifierLength).refine(isWellFormed),
    /** Its name when the watch was added, until it is read. */
    name: z
      .string()
      .max(answerLimits.summaryTextLength + 1)
      .overwrite((text) => text.toWellFormed()),
  }),
  z.strictObject({ kind: z.literal('list'), name: listNameSchema, query: watchedQuerySchema }),
])

/** The operator's choices for a watch. `system`: whether it also shows system notifications. */
const watchChoices = {
  tells: z
    .array(z.enum(watchKinds))
    .min(1, 'Choose what to be told about.')
    .max(watchKinds.length)
    .refine((kinds) => new Set(kinds).size === kinds.length),
  stuckMinutes: z.int().min(stuckMinutes.min).max(stuckMinutes.max),
  system: z.boolean(),
}

/** A new watch from the page. `service` is where the environment led then (`Environment.service`). */
export const watchToAddSchema = z.strictObject({
  environmentId: identifierSchema,
  service: z.string().max(1_000).nullable(),
  on: watchedSchema,
  ...watchChoices,
})

export type WatchToAdd = z.infer<typeof watchToAddSchema>

/** The members that a change of a watch sets. A deployment's watch has no name of its own. */
export const watchChangeSchema = z.strictObject({
  id: identifierSchema,
  name: listNameSchema.nullable(),
  ...watchChoices,
})

export type Watch = Omit<WatchToAdd, 'service'> & { id: string }

/**
 * A watch in the page's form. `waits`: for the first complete synchronisation, or the first answer. `elsewhere`: the
 * environment leads to another service than when the watch was added. `too-many`: its list has more deployments than
 * `watchLimits` allows.
 */
export interface WatchView extends Watch {
  state: 'follows' | 'waits' | 'elsewhere' | 'too-many'
  followed: number
}

/** The part of a notice about one deployment. */
export interface NoticeEntry {
  deploymentId: string
  name: string
  kind: WatchKind
  /** What changed, or came back; null if the kind says it. */
  what: 'status' | 'revision' | 'active-revision' | 'runs' | 'back' | 'failed' | null
  before: string | null
  after: string | null
  minutes: number | null
}

/**
 * A notice in the page's form, with its first entries: the result of one synchronisation or one round of requests, or
 * that a service can't be reached. `hidden`: how many more it has (`watches.entries`). `isElsewhere`: its environment
 * now leads to another service.
 */
export interface WatchNotice {
  id: string
  environmentId: string
  /** ISO 8601. */
  at: string
  kind: 'changes' | 'unreachable' | 'reachable'
  entries: NoticeEntry[]
  /** How many deployments it leaves out. */
  more: number
  isRead: boolean
  hidden: number
  isElsewhere: boolean
}

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'Enter a time.')

/** When system notifications are off, by the machine's clock; null for never. */
export const quietHoursSchema = z
  .strictObject({ from: timeOfDay, to: timeOfDay })
  .refine(({ from, to }) => from !== to, 'Choose two times.')
  .nullable()

export type QuietHours = z.infer<typeof quietHoursSchema>

export interface WatchesState {
  /** Whether the file was read, or there is none. Until then, the lists are empty. */
  isRead: boolean
  watches: WatchView[]
  /** Newest first. */
  notices: WatchNotice[]
  quiet: QuietHours
  /** Why the file can't be read or written; null if nothing is wrong. */
  problem: string | null
}
