import { z } from 'zod'
import { failureSchema } from './failure'

const base = {
  id: z.string(),
  /** When it began and ended (ISO 8601); `endedAt` is null while it goes on. */
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  environmentId: z.string(),
  environmentName: z.string(),
}

/**
 * A creation attempt. It is on disk as `sending` before the request leaves; one that is found so at the next
 * start becomes `unclear`, like one whose answer was lost.
 */
export const creationEntrySchema = z.object({
  ...base,
  kind: z.literal('creation'),
  state: z.enum(['sending', 'created', 'refused', 'unclear']),
  name: z.string(),
  source: z.string(),
  deploymentId: z.string().nullable(),
  failure: failureSchema.nullable(),
})

/** A call that failed for another reason than being cancelled. */
export const failureEntrySchema = z.object({
  ...base,
  kind: z.literal('failure'),
  /** What was tried, such as "List deployments". */
  action: z.string(),
  failure: failureSchema,
})

/** An entry of the local journal. It never holds a secret, a header or a request body. */
export const journalEntrySchema = z.discriminatedUnion('kind', [creationEntrySchema, failureEntrySchema])

export type CreationEntry = z.infer<typeof creationEntrySchema>
export type FailureEntry = z.infer<typeof failureEntrySchema>
export type JournalEntry = z.infer<typeof journalEntrySchema>
