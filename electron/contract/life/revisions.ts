import { z } from 'zod'
import { cutText } from '../deployment-api/list'
import { utcTime } from '../core/time'
import { sourceRevisionConfigSchema } from '../deployment-api/deployment'

const text = z
  .string()
  .transform((long) => cutText(long, 2_000))
  .nullable()
  .default(null)
  .catch(null)
const time = z.union([z.string(), z.number()]).transform(utcTime).nullable().default(null).catch(null)

/** A revision of a deployment, as services answer it. Only `id` is required. */
export const revisionSchema = z.object({
  id: z.string().min(1).max(500),
  created_at: time,
  updated_at: time,
  status: z.string().max(200).catch('UNKNOWN'),
  /** Why it has its status, if the service says so. */
  status_message: text,
  source: text,
  source_revision_config: sourceRevisionConfigSchema.catch(() => sourceRevisionConfigSchema.parse({})),
})

export type Revision = z.infer<typeof revisionSchema>

/** A deployment's latest revision, which failed. */
export interface FailedRevision {
  deploymentId: string
  revisionId: string
  status: string
  /** Why, if the service says so. */
  message: string | null
  at: string | null
}

/** A page of revisions, newest first. `nextOffset` is null at the end. */
export interface RevisionPage {
  revisions: Revision[]
  nextOffset: number | null
  readAt: string
}
