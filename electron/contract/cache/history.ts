import { z } from 'zod'
import type { historyDays } from './choices'
import type { Counts } from './query'

export * from './choices'

// The past of a cache: changes of deployments, and when they were observed. Times are ISO 8601.

/**
 * The origin of the answer that shows a change: the list, a deployment's own screen, a synchronisation, a watch in the
 * background, or a creation from this machine.
 */
export type Observer = 'page' | 'open' | 'sync' | 'watch' | 'creation'

/** What can change of a deployment. */
type ChangeKind =
  | 'appeared'
  | 'status'
  | 'latest-revision'
  | 'active-revision'
  | 'configuration'
  | 'secret-names'
  | 'gone'
  | 'back'

/** A difference between two answers about a deployment. It has no value of a secret, and long texts are cut. */
export interface Change {
  kind: ChangeKind
  /**
   * Of `configuration`: the member, such as `source_config.repo_url`. Null if more members changed than are listed, and
   * for other kinds.
   */
  member: string | null
  /**
   * `appeared`, `gone` and `back`: the status, where there was a deployment. `secret-names`: the names that were only
   * there before, and those that are only there after. Null for none.
   */
  before: string | null
  after: string | null
}

/** An entry of the history: a change, and when it was seen. */
export interface HistoryEntry extends Change {
  /**
   * Its place: later entries of the same cache have higher numbers, also if a clock was set back. Changes that the same
   * answer shows of a deployment have the same one.
   */
  point: number
  id: string
  name: string
  /** When the change was seen. It happened after `previousAt`, when the deployment was last seen without it. */
  seenAt: string
  /** Null if it wasn't seen before. */
  previousAt: string | null
  by: Observer
}

/** A time in which the environment was read so often that no lasting change went unseen. All other times are gaps. */
export interface Observed {
  from: string
  to: string
}

/** The history of one deployment, newest first. */
export interface DeploymentHistory {
  environmentId: string
  entries: HistoryEntry[]
  /** Whether there are older entries. */
  more: boolean
  /** When the deployment was observed, oldest first. */
  observed: Observed[]
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: string | null
}

/** The changes of one deployment in a time, newest first. */
export interface ChangedDeployment {
  id: string
  name: string
  entries: HistoryEntry[]
  /** How many entries there are, if not all of them are listed. */
  total: number
}

/** What changed in an environment. */
export interface EnvironmentChanges {
  environmentId: string
  /** The deployments with changes, the one that changed last first. */
  deployments: ChangedDeployment[]
  /** How many deployments changed. */
  total: number
  /** Whether there are so many changes that the oldest ones weren't read. Then `total` may be higher. */
  cut: boolean
  /** When the whole environment was observed, oldest first. */
  observed: Observed[]
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: string | null
  /** Identifies the history: a point belongs to one history only. */
  history: string
  /** The last point; 0 before there is one. Changes after it are new. */
  last: number
}

/** How many deployments had each status, at moments that divide a time evenly. */
export interface StatusHistory {
  environmentId: string
  moments: {
    at: string
    counts: Counts
    /** How many deployments had a status that no moment lists. */
    others: number
  }[]
  /** When the whole environment was observed, oldest first. At other moments, counts are what was last known. */
  observed: Observed[]
  /** Since when changes are kept: there are no moments before. Null before the first synchronisation is complete. */
  since: string | null
}

/** The size of a history. */
export interface HistoryState {
  /** For how many days it is kept. */
  days: (typeof historyDays)[number]
  /** Roughly how many bytes of the disk it takes. */
  bytes: number
  /** How many changes it has. */
  entries: number
  /** Since when changes are kept; null before the first synchronisation is complete. */
  since: string | null
}

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

export type EarlierRequest = z.infer<typeof earlierRequestSchema>
