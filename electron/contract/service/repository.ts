import { z } from 'zod'

const text = z.string().nullable().default(null).catch(null)

/** Repository in an answer (interface: Repository). Only `name` is indispensable; unknown members are kept. */
export const repositorySchema = z.looseObject({
  host_integration_id: text,
  id: z.union([z.number(), z.string()]).nullable().catch(null),
  name: z.string().min(1),
  owner: text,
  url: text,
  default_branch: text,
})

export type Repository = z.infer<typeof repositorySchema>
