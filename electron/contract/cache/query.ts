import { z } from 'zod'
import { deploymentSummarySchema } from '../deployment-api/deployment'
import { hasShortFilters, listQuerySchema, tooLongFilter } from '../deployment-api/list/list-query'

/** The columns by which the cached list can be sorted. `runs` is the repository and ref, or the image. */
const cachedSortColumns = [
  'name',
  'status',
  'source',
  'runs',
  'revision',
  'updated_at',
  'created_at',
] as const

const cachedSortSchema = z.strictObject({
  by: z.enum(cachedSortColumns),
  descending: z.boolean(),
})

export type CachedSort = z.infer<typeof cachedSortSchema>

/** The list's filters, as the interface has them; `limit` and `offset` are the page's. */
const cachedFiltersSchema = listQuerySchema
  .omit({ limit: true, offset: true })
  .refine(hasShortFilters, tooLongFilter)

/**
 * Filters of the interface that nothing in a deployment can answer: only the service knows which tags a deployment
 * has and whether it was reconciled.
 */
export const unanswerableFilters = ['remote_reconciled', 'tag_value_ids'] as const

/** What the cached list shows. `search` looks for each of its words in name, repository, image and identifiers. */
const cachedQuerySchema = z.strictObject({
  filters: cachedFiltersSchema.default({}),
  search: z.string().max(200).default(''),
  sort: cachedSortSchema.default({ by: 'created_at', descending: true }),
})

export type CachedQuery = z.infer<typeof cachedQuerySchema>

/** Bounds of a page of the cached list. */
const cachedPageLimits = { min: 1, max: 200 } as const

/**
 * A page of the cached list. `snapshot` is null for the first page of a query and afterwards the one that came with
 * it, so that rows keep their place while one scrolls and a synchronisation writes.
 */
export const cachedPageRequestSchema = z.strictObject({
  query: cachedQuerySchema,
  offset: z.int().min(0),
  limit: z.int().min(cachedPageLimits.min).max(cachedPageLimits.max),
  snapshot: z.string().nullable(),
})

export type CachedPageRequest = z.infer<typeof cachedPageRequestSchema>

/** A cached deployment in the list. Times are ISO 8601. */
const cachedSummarySchema = deploymentSummarySchema.extend({
  deployment_type: z.string().nullable(),
  /** When the service last answered with it. */
  fetched_at: z.string(),
  /** When the service was found not to have it any more; null while it has. */
  gone_at: z.string().nullable(),
})

export type CachedSummary = z.infer<typeof cachedSummarySchema>

/** How old and how large the cache of an environment is. */
export const cacheStateSchema = z.object({
  /** How many deployments are cached, those that are gone included. */
  deployments: z.int(),
  gone: z.int(),
  /** When the last full synchronisation ended (ISO 8601); null when there was none. */
  synchronisedAt: z.string().nullable(),
  /** When the service last answered with anything that is cached (ISO 8601). */
  newestAt: z.string().nullable(),
})

export type CacheState = z.infer<typeof cacheStateSchema>

export const cachedPageSchema = z.object({
  snapshot: z.string(),
  /** How many deployments match in all. */
  total: z.int(),
  offset: z.int(),
  deployments: z.array(cachedSummarySchema),
  /** The filters of the query that the cache cannot answer and that were left out. */
  unanswered: z.array(z.enum(unanswerableFilters)),
  cache: cacheStateSchema,
})

export type CachedPage = z.infer<typeof cachedPageSchema>
