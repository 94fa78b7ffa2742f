import { z } from 'zod'
import { annotationLimits, composedLabel } from '../../app/personal/annotations'
import { identifierSchema } from '../../app/environment/environment'
import { formatCount } from '../../core/count'
import { isVisible } from '../../core/untrusted-text'
import { answerLimits, maxStatuses, pageLimits } from '../../deployment-api/list/list-limits'
import { cachedSortSchema } from './query'

/** Limits for saved views; lengths are in characters. `fileBytes` is for a file that is written or read. */
export const viewLimits = { count: 200, nameLength: 60, textLength: 4_000, fileBytes: 2_000_000 } as const

/** A text of a view, which may come from someone else's file: no character in it is invisible or reverses text. */
const viewText = (max: number, from = z.string()): z.ZodString =>
  from
    .max(max, `Use at most ${formatCount(max)} characters.`)
    .refine(isVisible, 'Use visible characters only.')

const viewNameSchema = viewText(viewLimits.nameLength, z.string().trim().min(1, 'Enter a name.'))

/** The content of a view. It names no environment, service or secret, so it can be shared. */
const viewContent = {
  name: viewNameSchema,
  /** As the fields of the list have them. */
  filters: z.strictObject({
    name: viewText(viewLimits.textLength),
    statuses: z.array(viewText(answerLimits.summaryTextLength)).max(maxStatuses),
    rollingOut: z.boolean().default(false),
    deploymentType: viewText(answerLimits.summaryTextLength).nullable(),
    remoteReconciled: z.enum(['yes', 'no']).nullable(),
    imageVersion: viewText(viewLimits.textLength),
    tagValueIds: viewText(viewLimits.textLength),
    deploymentIds: viewText(viewLimits.textLength),
    favourites: z.boolean(),
    label: viewText(annotationLimits.labelLength).overwrite(composedLabel).nullable(),
  }),
  /** `sorted`: the live list, sorted by the cache. */
  data: z.enum(['live', 'cached', 'sorted']),
  /** Null for the default order. */
  sort: cachedSortSchema.nullable(),
  pageSize: z.int().min(pageLimits.min).max(pageLimits.max),
}

export const viewContentSchema = z.strictObject(viewContent)

export type ViewContent = z.infer<typeof viewContentSchema>

/** A saved view: for one environment, or for all (null). */
export const savedViewSchema = z.strictObject({
  id: z.guid(),
  environmentId: identifierSchema.nullable(),
  ...viewContent,
})

export type SavedView = z.infer<typeof savedViewSchema>

/** A file with views to share. */
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
