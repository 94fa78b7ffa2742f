import { z } from 'zod'
import { countsSchema } from './query'
import { historyDays } from './choices'

export * from './choices'

// The past of a cache: changes of deployments, and when they were observed. Times are ISO 8601.

/**
 * The origin of the answer that shows a change: the list, a deployment's own screen, a synchronisation, a watch in the
 * background, or a creation from this machine.
 */
const observers = ['page', 'open', 'sync', 'watch', 'creation'] as const

export const observerSchema = z.enum(observers)

export type Observer = z.infer<typeof observerSchema>

/** What can change of a deployment. */
const changeKinds = [
  'appeared',
  'status',
  'latest-revision',
  'active-revision',
  'configuration',
  'secret-names',
  'gone',
  'back',
] as const

/** A difference between two answers about a deployment. It has no value of a secret, and long texts are cut. */
const changeSchema = z.object({
  kind: z.enum(changeKinds),
  /**
   * Of `configuration`: the member, such as `source_config.repo_url`. Null if more members changed than are listed, and
   * for other kinds.
   */
  member: z.string().nullable(),
  /**
   * `appeared`, `gone` and `back`: the status, where there was a deployment. `secret-names`: the names that were only
   * there before, and those that are only there after. Null for none.
   */
  before: z.string().nullable(),
  after: z.string().nullable(),
})

export type Change = z.infer<typeof changeSchema>

/** An entry of the history: a change, and when it was seen. */
const historyEntrySchema = changeSchema.extend({
  /**
   * Its place: later entries of the same cache have higher numbers, also if a clock was set back. Changes that the same
   * answer shows of a deployment have the same one.
   */
  point: z.int().positive(),
  id: z.string(),
  name: z.string(),
  /** When the change was seen. It happened after `previousAt`, when the deployment was last seen without it. */
  seenAt: z.string(),
  /** Null if it wasn't seen before. */
  previousAt: z.string().nullable(),
  by: observerSchema,
})

export type HistoryEntry = z.infer<typeof historyEntrySchema>

/** A time in which the environment was read so often that no lasting change went unseen. All other times are gaps. */
const observedSchema = z.object({ from: z.string(), to: z.string() })

export type Observed = z.infer<typeof observedSchema>

/** The history of one deployment, newest first. */
export const deploymentHistorySchema = z.object({
  environmentId: z.string(),
  entries: z.array(historyEntrySchema),
  /** Whether there are older entries. */
  more: z.boolean(),
  /** When the deployment was observed, oldest first. */
  observed: z.array(observedSchema),
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: z.string().nullable(),
})

export type DeploymentHistory = z.infer<typeof deploymentHistorySchema>

/** The changes of one deployment in a time, newest first. */
const changedDeploymentSchema = z.object({
  id: z.string(),
  name: z.string(),
  entries: z.array(historyEntrySchema),
  /** How many entries there are, if not all of them are listed. */
  total: z.int(),
})

export type ChangedDeployment = z.infer<typeof changedDeploymentSchema>

/** What changed in an environment. */
export const environmentChangesSchema = z.object({
  environmentId: z.string(),
  /** The deployments with changes, the one that changed last first. */
  deployments: z.array(changedDeploymentSchema),
  /** How many deployments changed. */
  total: z.int(),
  /** Whether there are so many changes that the oldest ones weren't read. Then `total` may be higher. */
  cut: z.boolean(),
  /** When the whole environment was observed, oldest first. */
  observed: z.array(observedSchema),
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: z.string().nullable(),
  /** Identifies the history: a point belongs to one history only. */
  history: z.string(),
  /** The last point; 0 before there is one. Changes after it are new. */
  last: z.int(),
})

export type EnvironmentChanges = z.infer<typeof environmentChangesSchema>

/** How many deployments had each status, at moments that divide a time evenly. */
export const statusHistorySchema = z.object({
  environmentId: z.string(),
  moments: z.array(
    z.object({
      at: z.string(),
      counts: countsSchema,
      /** How many deployments had a status that no moment lists. */
      others: z.int(),
    }),
  ),
  /** When the whole environment was observed, oldest first. At other moments, counts are what was last known. */
  observed: z.array(observedSchema),
  /** Since when changes are kept: there are no moments before. Null before the first synchronisation is complete. */
  since: z.string().nullable(),
})

export type StatusHistory = z.infer<typeof statusHistorySchema>

/** The size of a history. */
export const historyStateSchema = z.object({
  /** For how many days it is kept. */
  days: z.literal(historyDays),
  /** Roughly how many bytes of the disk it takes. */
  bytes: z.number(),
  /** How many changes it has. */
  entries: z.int(),
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: z.string().nullable(),
})

export type HistoryState = z.infer<typeof historyStateSchema>

/** Limits of requests. */
export const historyLimits = {
  /** Points of one deployment in an answer. */
  points: 200,
  /** Deployments in the changes of an environment, and entries of each. */
  deployments: 500,
  entriesEach: 20,
  /** Moments at which statuses are counted. */
  moments: 400,
} as const

/** Which part of a deployment's history: the newest points, or those before one. */
export const deploymentHistoryRequestSchema = z.strictObject({
  id: z.string().max(500),
  before: z.int().positive().nullable(),
  limit: z.int().min(1).max(historyLimits.points),
})

export type DeploymentHistoryRequest = z.infer<typeof deploymentHistoryRequestSchema>

/** Which changes of an environment: those that were seen since a time, and those after a point. Both count if given. */
export const changesRequestSchema = z.strictObject({
  since: z.iso.datetime().nullable(),
  after: z.int().min(0).nullable(),
  limit: z.int().min(1).max(historyLimits.deployments),
})

export type ChangesRequest = z.infer<typeof changesRequestSchema>

/** At how many moments since a time statuses are counted. */
export const statusHistoryRequestSchema = z.strictObject({
  since: z.iso.datetime(),
  moments: z.int().min(2).max(historyLimits.moments),
})

export type StatusHistoryRequest = z.infer<typeof statusHistoryRequestSchema>

/**
 * A deployment as it was after a point of its history, until the next one; 0 is before the first point that is kept.
 */
export const earlierRequestSchema = z.strictObject({ id: z.string().max(500), point: z.int().min(0) })
