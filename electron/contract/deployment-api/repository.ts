import { z } from 'zod'
import { answerLimits } from './list/list-limits'

const text = z.string().max(answerLimits.repositoryTextLength).nullable().default(null).catch(null)

/** A repository in an answer (interface: Repository). Only `name` is required. Other members aren't read. */
export const repositorySchema = z.object({
  host_integration_id: text,
  id: z
    .union([z.number(), z.string().max(answerLimits.repositoryTextLength)])
    .nullable()
    .catch(null),
  name: z.string().min(1).max(answerLimits.repositoryTextLength),
  owner: text,
  url: text,
  default_branch: text,
})

export type Repository = z.infer<typeof repositorySchema>
