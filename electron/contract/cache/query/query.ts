import { z } from 'zod'
import { annotationLimits } from '../../app/personal/annotations'
import { deploymentSummarySchema } from '../../deployment-api/deployment'
import {
  answerLimits,
  hasShortFilters,
  listQuerySchema,
  maxStatuses,
  tooLongFilter,
} from '../../deployment-api/list/list-query'

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

export const cachedSortSchema = z.strictObject({
  by: z.enum(cachedSortColumns),
  descending: z.boolean(),
})

export type CachedSort = z.infer<typeof cachedSortSchema>

/** Identifiers of deployments that the operator has annotated. */
const annotatedIdsSchema = z
  .array(z.string().max(answerLimits.identifierLength))
  .max(annotationLimits.deployments)

/**
 * The list's filters as in the interface, but with any number of statuses, and without `limit` and `offset`, which
 * belong to the page. Absent, null and no statuses mean no filter.
 */
export const filtersSchema = listQuerySchema
  .omit({ limit: true, offset: true, status: true })
  .extend({
    statuses: z.array(z.string().max(answerLimits.summaryTextLength)).max(maxStatuses).nullish(),
    /** Only these deployments, such as favourites; none if it is empty. */
    ids: annotatedIdsSchema.nullish(),
  })
  .refine(hasShortFilters, tooLongFilter)

/**
 * Filters of the interface that the cache can't apply, because deployments show neither their tags nor whether they
 * were reconciled.
 */
export const unanswerableFilters = ['remote_reconciled', 'tag_value_ids'] as const

/** A query of the cached list. `search` looks for each of its words in name, repository, image and identifiers. */
export const cachedQuerySchema = z.strictObject({
  filters: filtersSchema.default({}),
  search: z.string().max(200).default(''),
  /** The deployments whose notes or labels match the search. Only the page has those. */
  noted: annotatedIdsSchema.optional(),
  /** Only deployments with exactly this name. */
  name: z.string().max(answerLimits.summaryTextLength).optional(),
  /** Whether to list only what is rolling out: awaiting its database, or its latest revision not active yet. */
  rollingOut: z.boolean().optional(),
  sort: cachedSortSchema.default({ by: 'created_at', descending: true }),
})

export type CachedQuery = z.infer<typeof cachedQuerySchema>

/** Limits of a page of the cached list. */
const cachedPageLimits = { min: 1, max: 200 } as const

/**
 * A page of the cached list. `snapshot` is null for a query's first page, and then the snapshot of that page, so that
 * rows keep their places while the list scrolls and a synchronisation writes.
 */
export const cachedPageRequestSchema = z.strictObject({
  query: cachedQuerySchema,
  offset: z.int().min(0),
  limit: z.int().min(cachedPageLimits.min).max(cachedPageLimits.max),
  snapshot: z.string().nullable(),
})

export type CachedPageRequest = z.infer<typeof cachedPageRequestSchema>

/** A cached deployment in the list. Times are ISO 8601. */
export const cachedSummarySchema = deploymentSummarySchema.extend({
  deployment_type: z.string().nullable(),
  /** When the service last answered with it. */
  fetched_at: z.string(),
  /** When a synchronisation found that the service no longer has it; null while it does. */
  gone_at: z.string().nullable(),
})

export type CachedSummary = z.infer<typeof cachedSummarySchema>

/** How old and how large an environment's cache is. */
export const cacheStateSchema = z.object({
  /** How many deployments are cached, including those that are gone. */
  deployments: z.int(),
  gone: z.int(),
  /** When the last full synchronisation ended (ISO 8601); null if there was none. */
  synchronisedAt: z.string().nullable(),
  /** When the service last answered with anything that is cached (ISO 8601). */
  newestAt: z.string().nullable(),
})

export type CacheState = z.infer<typeof cacheStateSchema>

/** How many deployments have each status: those of the interface and the most frequent others. */
export const countsSchema = z.array(z.object({ status: z.string(), count: z.int() })).max(maxStatuses)

/** How many cached deployments have each status, and how many are rolling out, without those that are gone. */
export const statusCountsSchema = z.object({
  counts: countsSchema,
  /** The statuses that `counts` has no room for: a service may give each deployment one of its own. */
  others: z.object({ statuses: z.int(), deployments: z.int() }),
  rollingOut: z.int(),
  /** The deployment types that they have. */
  types: z.array(z.string()).max(maxStatuses),
  cache: cacheStateSchema,
})

export type StatusCounts = z.infer<typeof statusCountsSchema>

export const cachedPageSchema = z.object({
  snapshot: z.string(),
  /** How many deployments match in all. */
  total: z.int(),
  offset: z.int(),
  deployments: z.array(cachedSummarySchema),
  /** The query's filters that the cache can't apply and ignored. */
  unanswered: z.array(z.enum(unanswerableFilters)),
  cache: cacheStateSchema,
})

export type CachedPage = z.infer<typeof cachedPageSchema>
