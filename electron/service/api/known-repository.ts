import { z } from '@hono/zod-openapi'
import { repositoryAnswerSchema } from './schemas'

/** The most repositories that are imported at once. */
export const mostRepositories = 20_000

/** Nothing that moves a terminal's cursor, and no half of a character, which a database can't keep. */
export const plainText = /^[^\p{Cc}\p{Cs}]*$/u

const text = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .regex(plainText, 'It has control characters or halves of characters')

/** A repository that is imported, as the interface has it. */
export const importedRepositorySchema = z.strictObject({
  ...repositoryAnswerSchema.shape,
  host_integration_id: z.guid().toLowerCase(),
  id: z.int().min(0),
  name: text,
  owner: text,
  url: text,
  default_branch: text,
})

/** The commits of a repository's branches and tags, by their full names, such as `refs/heads/main`. */
export type Refs = Readonly<Record<string, string>>

/** A repository, and what is known of its refs; null if nothing is. */
export interface KnownRepository {
  answer: z.infer<typeof importedRepositorySchema>
  refs: Refs | null
}
