import { z } from 'zod'
import { annotationLimits, composedLabel } from '../app/personal'
import { hasShortFilters, listQuerySchema, tooLongFilter } from '../deployment-api/deployment'
import type { DeploymentSummary } from '../deployment-api/reading/summarise'
import { identifierSchema } from '../app/environment'
import { formatCount, isVisible } from '../core/text'
import { answerLimits, maxStatuses, pageLimits } from '../deployment-api/list'
import {
  descriptionOf,
  type FilterName,
  filterNames,
  type FilterValues,
  listFilters,
  type PublicFilter,
} from './filters'

/** How the cached list is sorted. `runs` is the repository and ref, or the image. */
const cachedSortSchema = z.strictObject({
  by: z.enum(['name', 'status', 'source', 'runs', 'revision', 'updated_at', 'created_at']),
  descending: z.boolean(),
})

export type CachedSort = z.infer<typeof cachedSortSchema>

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
 * A query of the cached list, which ignores filters that the cache can't apply. `search` looks for each of its words in name, repository,
 * image and identifiers.
 */
const cachedQuerySchema = z.strictObject({
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

/**
 * A page of the cached list. `snapshot` is null for a query's first page, and then the snapshot of that page, so that
 * rows keep their places while the list scrolls and a synchronisation writes.
 */
export const cachedPageRequestSchema = z.strictObject({
  query: cachedQuerySchema,
  offset: z.int().min(0),
  limit: z.int().min(1).max(200),
  snapshot: z.string().nullable(),
})

export type CachedPageRequest = z.infer<typeof cachedPageRequestSchema>

/** A cached deployment in the list. Times are ISO 8601. */
export interface CachedSummary extends DeploymentSummary {
  deployment_type: string | null
  /** When the service last answered with it. */
  fetched_at: string
  /** When a synchronisation found that the service no longer has it; null while it does. */
  gone_at: string | null
}

/** How old and how large an environment's cache is. */
export interface CacheState {
  /** How many deployments are cached, including those that are gone. */
  deployments: number
  gone: number
  /** When the last full synchronisation ended (ISO 8601); null if there was none. */
  synchronisedAt: string | null
  /** When the service last answered with anything that is cached (ISO 8601). */
  newestAt: string | null
}

/** How many deployments have each status: those of the interface and the most frequent others. */
export type Counts = { status: string; count: number }[]

/** How many cached deployments have each status, and how many are rolling out, without those that are gone. */
export interface StatusCounts {
  counts: Counts
  /** The statuses that `counts` has no room for: a service may give each deployment one of its own. */
  others: { statuses: number; deployments: number }
  rollingOut: number
  types: string[]
  cache: CacheState
}

export interface CachedPage {
  snapshot: string
  total: number
  offset: number
  deployments: CachedSummary[]
  cache: CacheState
}

/** Limits for saved views; lengths are in characters. `fileBytes` is for a file that is written or read. */
export const viewLimits = { count: 200, nameLength: 60, textLength: 4_000, fileBytes: 2_000_000 } as const

/** A text of a view, which may come from someone else's file: no character in it is invisible or reverses text. */
const viewText = (max: number, from = z.string()): z.ZodString =>
  from
    .max(max, `Use at most ${formatCount(max)} characters.`)
    .refine(isVisible, 'Use visible characters only.')

/** What each kind of filter may be in a view or a choice. */
const filterValues = {
  text: viewText(viewLimits.textLength),
  ids: viewText(viewLimits.textLength),
  flag: z.boolean(),
  choice: viewText(answerLimits.summaryTextLength).nullable(),
  label: viewText(annotationLimits.labelLength).overwrite(composedLabel).nullable(),
  statuses: z.array(viewText(answerLimits.summaryTextLength)).max(maxStatuses),
  'yes-no': z.enum(['yes', 'no']).nullable(),
} satisfies Record<keyof FilterValues, z.ZodType>

const filterShape = Object.fromEntries(
  filterNames.map((name) => [name, filterValues[listFilters[name].kind]]),
) as { [Name in FilterName]: (typeof filterValues)[(typeof listFilters)[Name]['kind']] }

const publicShape = Object.fromEntries(
  filterNames.filter((name) => !descriptionOf(name).isPrivate).map((name) => [name, filterShape[name]]),
) as Pick<typeof filterShape, PublicFilter>

/** Everything that decides what the list shows. It names no environment, service or secret, so it can be shared. */
const listState = {
  filters: z.strictObject(filterShape),
  /** `sorted`: the live list, sorted by the cache. */
  source: z.enum(['live', 'cached', 'sorted']),
  /** Null for the default order. */
  sort: cachedSortSchema.nullable(),
  size: z.int().min(pageLimits.min).max(pageLimits.max),
}

/**
 * The state of a list that choices keep, without typed text such as a search: names of deployments stay out of files
 * that aren't encrypted.
 */
export const listChoicesSchema = z.strictObject({
  ...listState,
  filters: z.strictObject(publicShape),
  /** Whether the encrypted file may have more of the filters (`LastFilters`), so that the first list waits for it. */
  hasPrivateFilters: z.boolean().default(false),
})

export type ListChoices = z.infer<typeof listChoicesSchema>

export const viewContentSchema = z.strictObject({
  name: viewText(viewLimits.nameLength, z.string().trim().min(1, 'Enter a name.')),
  ...listState,
})

export type ViewContent = z.infer<typeof viewContentSchema>

/** Everything that decides what the list shows. */
export type ListState = Omit<ViewContent, 'name'>

/** A saved view: for one environment, or for all (null). */
export const savedViewSchema = viewContentSchema.extend({
  id: z.guid(),
  environmentId: identifierSchema.nullable(),
})

export type SavedView = z.infer<typeof savedViewSchema>

const viewsFileSchema = z.strictObject({
  format: z.literal('slipway-views'),
  version: z.literal(1),
  views: z.array(viewContentSchema).min(1).max(viewLimits.count),
})

export type ViewsFile = z.infer<typeof viewsFileSchema>

/** The views of a file's JSON value; null if it is anything else. */
export function readViewsFile(value: unknown): ViewContent[] | null {
  return viewsFileSchema.safeParse(value).data?.views ?? null
}

export type ExportFormat = ExportRequest['format']

/** What separates the columns of CSV. Spreadsheets expect a semicolon where numbers have a decimal comma. */
export const csvSeparators = [',', ';', '\t'] as const

export type CsvSeparator = (typeof csvSeparators)[number]

/** Which list is exported: the service's with its filters, or the cached one with its filters, search and order. */
const exportedListSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('service'), filters: filtersSchema }),
  z.strictObject({ from: z.literal('cache'), query: cachedQuerySchema }),
])

export type ExportedList = z.infer<typeof exportedListSchema>

export const exportRequestSchema = z.strictObject({
  list: exportedListSchema,
  format: z.enum(['csv', 'json']),
  separator: z.enum(csvSeparators).default(','),
})

export type ExportRequest = z.infer<typeof exportRequestSchema>

export interface ExportResult {
  /** Null if the operator chose no file. */
  path: string | null
  written: number
  /** How many entries of the list couldn't be read and aren't in the file. */
  unreadable: number
  /**
   * Whether the list may have more deployments, because it changed during the export, didn't end properly, or contained
   * deployments that weren't requested.
   */
  mayBeIncomplete: boolean
}

/** How far an export is. `total` is null for the service's list, whose length isn't known. */
export interface ExportProgress {
  environmentId: string
  written: number
  total: number | null
}
