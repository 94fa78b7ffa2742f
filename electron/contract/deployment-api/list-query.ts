import { z } from 'zod'
import { pageLimits, answerLimits } from './list'

export * from './list'

/** The path of the list and of creations (interface: List deployments, Create a deployment). */
export const deploymentsPath = '/v2/deployments'

/** The query of the list (interface: List deployments). Absent and null mean no filter. */
export const listQuerySchema = z.strictObject({
  limit: z.int().min(pageLimits.min).max(pageLimits.max).default(pageLimits.default),
  offset: z.int().min(0).default(0),
  name_contains: z.string().nullish(),
  status: z.string().nullish(),
  remote_reconciled: z.boolean().nullish(),
  tag_value_ids: z.string().nullish(),
  image_version: z.string().nullish(),
  /** One of `deploymentTypes`, or another one that a service has. */
  deployment_type: z.string().nullish(),
  deployment_ids: z.string().nullish(),
})

export type ListQuery = z.infer<typeof listQuerySchema>

/** Characters of one filter. With more, no network accepts the URL. */
export const longestFilter = 20_000

/** Whether all filters of a query, to the service or the cache, are short enough. */
export const hasShortFilters = (filters: object): boolean =>
  Object.values(filters).every((value) => typeof value !== 'string' || value.length <= longestFilter)

export const tooLongFilter = 'Use at most 20,000 characters in a filter.'

/** The query's members without the paging. */
export type ListFilters = Omit<ListQuery, 'limit' | 'offset'>

/** A query as URL parameters, without absent, null and empty members. */
export function toSearchParams(query: ListQuery): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') params.set(name, String(value))
  }
  return params
}

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
