import { z } from 'zod'
import { failureSchema } from '../../core/failure'
import { cacheStateSchema } from '../query/query'
import { syncIntervals } from './sync-intervals'

export * from './sync-intervals'

/** The progress of a synchronisation. */
const syncProgressSchema = z.object({
  phase: z.enum(['reading', 'confirming']),
  /** The number of the pass, from 1. A list that changes is read again. */
  pass: z.int(),
  /** How many deployments the pass has read, and of about how many; null if unknown. */
  covered: z.int(),
  expected: z.int().nullable(),
  perSecond: z.number(),
  /** About how many seconds the pass has left; null if unknown. */
  secondsLeft: z.number().nullable(),
  /** Whether it runs in the background. */
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

/** The cache of an environment and its synchronisation. */
export const syncStateSchema = z.object({
  environmentId: z.string(),
  /** Null if none is running. */
  progress: syncProgressSchema.nullable(),
  last: syncEndSchema.nullable(),
  /** Null if the cache can't be used; `problem` then says why. */
  cache: cacheStateSchema.nullable(),
  /** Where the cache is: encrypted on disk, or in memory for this session only. */
  storage: z.enum(['disk', 'memory']).nullable(),
  intervalMinutes: z.literal(syncIntervals),
  /** What the operator should know about the cache, such as that a damaged one was set aside. */
  problem: z.string().nullable(),
})

export type SyncState = z.infer<typeof syncStateSchema>
