import { z } from 'zod'
import { failureSchema } from '../core/failure'
import { cacheStateSchema } from './query'
import { syncIntervals } from './sync-intervals'

export * from './sync-intervals'

/** How far a synchronisation is. */
const syncProgressSchema = z.object({
  phase: z.enum(['reading', 'confirming']),
  /** The pass through the list, from 1: a list that changes is read again. */
  pass: z.int(),
  /** How many deployments the pass has read, and of about how many; null when that is not known. */
  covered: z.int(),
  expected: z.int().nullable(),
  perSecond: z.number(),
  /** About how long the pass will go on; null when that is not known. */
  secondsLeft: z.number().nullable(),
  /** Whether it runs by itself, quietly. */
  automatic: z.boolean(),
})

export type SyncProgressView = z.infer<typeof syncProgressSchema>

/** How the last synchronisation of this session ended. */
const syncEndSchema = z.object({
  at: z.string(),
  end: z.enum(['complete', 'unsettled', 'cancelled', 'failed', 'paused']),
  failure: failureSchema.nullable(),
  moving: z.boolean(),
  covered: z.int(),
  gone: z.int(),
})

/** The local cache of an environment and its synchronisation. */
export const syncStateSchema = z.object({
  environmentId: z.string(),
  /** Null while nothing runs. */
  progress: syncProgressSchema.nullable(),
  last: syncEndSchema.nullable(),
  /** Null while the cache cannot be used; `problem` then says why. */
  cache: cacheStateSchema.nullable(),
  /** Where the cache is: encrypted on disk, or in memory for this session only. */
  storage: z.enum(['disk', 'memory']).nullable(),
  intervalMinutes: z.literal(syncIntervals),
  /** What the user should know about the cache, such as that a damaged one was set aside. */
  problem: z.string().nullable(),
})

export type SyncState = z.infer<typeof syncStateSchema>
