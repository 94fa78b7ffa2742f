import { z } from 'zod'
import { annotationSchema } from '../app/annotations'
import { savedViewSchema } from '../cache/views'

/**
 * What is kept about the deployments of one service, from one environment. A salted hash of base URL and tenant
 * identifies the service.
 */
const serviceAnnotationsSchema = z.object({
  environmentId: z.string(),
  salt: z.string(),
  service: z.string(),
  annotations: z.array(annotationSchema),
})

/** The file of the main process with what operators keep for themselves. */
export const personalFileSchema = z.object({
  version: z.literal(1),
  services: z.array(serviceAnnotationsSchema),
  views: z.array(savedViewSchema).default([]),
  /** Hashes of files that were set aside and whose content is in this one already, until they are removed. */
  takenIn: z.array(z.string()).default([]),
})

export type PersonalFile = z.infer<typeof personalFileSchema>

/** A file of a newer version. Slipway leaves it unchanged. */
export const newerPersonalFileSchema = z.looseObject({ version: z.int().min(2) })

/**
 * The largest text that a change writes, in bytes: writing it doesn't block the main process noticeably. A file from before
 * may be larger; it is read, and may be shortened.
 */
export const largestPersonalFile = 4_000_000

/** The largest text once a file that was set aside is added, in bytes: one from before may be larger than what changes write. */
export const largestMergedFile = 20_000_000
