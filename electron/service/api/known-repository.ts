import { z } from '@hono/zod-openapi'
import { repositoryAnswerSchema } from './schemas'

/** How many repositories can be imported at once. */
export const mostRepositories = 20_000

/** Excludes characters that move a terminal's cursor, and lone surrogates, which a database can't store. */
export const plainText = /^[^\p{Cc}\p{Cs}]*$/u

const text = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .regex(plainText, 'It has control characters or halves of characters')

/** An imported repository, in the interface's form. */
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

/** A repository and its known refs; null if they aren't known. */
export interface KnownRepository {
  answer: z.infer<typeof importedRepositorySchema>
  refs: Refs | null
}
