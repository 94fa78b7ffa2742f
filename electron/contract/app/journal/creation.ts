import { z } from 'zod'
import { failureSchema } from '../../core/failure'
import { calledSchema, entryBase } from './entry-base'
import { lookupSchema } from './lookup'

/**
 * A creation attempt. It is on disk as `sending` before the request leaves. If it is still `sending` at the next start,
 * it becomes `unclear` (unconfirmed), as if its answer didn't arrive.
 * - `refused`: it certainly didn't leave, or the service refused it;
 * - `created`: the service answered, a lookup found the deployment, or the operator says that a deployment is it;
 * - `dismissed`: the operator says that there is nothing left to find out. Its name is free again.
 */
export const creationEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('creation'),
  state: z.enum(['sending', 'created', 'refused', 'unclear', 'dismissed']),
  name: z.string(),
  source: z.string(),
  deploymentId: z.string().nullable(),
  /** Why there was no answer, or why the service refused. It stays when the deployment is found later. */
  failure: failureSchema.nullable(),
  /** The result of the last lookup that got an answer. */
  lookup: lookupSchema.nullable(),
  /** Why the last lookup got no answer. */
  lookFailure: failureSchema.nullable(),
  /** How many attempts began with the operator's consent to sending its name again. Each consent counts once. */
  sentAgain: z.number().int().nonnegative(),
  /**
   * `service` of its environment, if that leads to where the attempt was sent; null if it leads elsewhere. Left out if
   * unknown, and on disk, because an edit of the environment changes it.
   */
  sentTo: z.string().nullable().optional(),
})

/** What an attempt sent, as far as a deployment can be compared with it: no value of a secret or a variable. */
const sentConfigurationSchema = z.object({
  source: z.string(),
  source_config: z.record(z.string(), z.unknown()),
  source_revision_config: z.record(z.string(), z.unknown()),
  secret_references: z.array(z.unknown()),
  /** The names of the secrets. */
  secrets: z.array(z.string()),
})

export type SentConfiguration = z.infer<typeof sentConfigurationSchema>

/** An attempt as it is on disk. */
export const storedCreationSchema = creationEntrySchema.extend({
  /** The service and tenant that it was sent to. */
  service: calledSchema,
  /** Null if it was too large to keep, and once the attempt is settled. */
  sent: sentConfigurationSchema.nullable(),
})

export type CreationEntry = z.infer<typeof creationEntrySchema>
export type StoredCreation = z.infer<typeof storedCreationSchema>

/** An attempt for display: without what only a comparison needs. */
export function shownCreation({ service: _service, sent: _sent, ...entry }: StoredCreation): CreationEntry {
  return entry
}
