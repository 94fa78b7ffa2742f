import { z } from 'zod'
import { cachedSortSchema } from '../cache/query'
import { answerLimits, mostStatuses, pageLimits } from '../deployment-api/list/list-limits'
import { deploymentTypeSchema } from '../deployment-api/request/create-request'
import { shortcutLimits } from '../app/shortcuts'
import { refreshChoices } from './refresh-choices'
import { columnLimits, columnWidths, rowHeights } from './table-choices'

export * from './refresh-choices'

/**
 * How an environment's list was left. Without what was typed, such as a search: names of deployments stay out of files that
 * aren't encrypted.
 */
const listChoicesSchema = z.strictObject({
  /** What is shown; null until the operator chose. `sorted`: the live list, sorted by the cache. */
  data: z.enum(['live', 'cached', 'sorted']).nullable().default(null),
  sort: cachedSortSchema.nullable().default(null),
  pageSize: z.int().min(pageLimits.min).max(pageLimits.max).nullable().default(null),
  statuses: z.array(z.string().max(answerLimits.summaryTextLength)).max(mostStatuses).default([]),
  deploymentType: deploymentTypeSchema.nullable().default(null),
  remoteReconciled: z.enum(['yes', 'no']).nullable().default(null),
})

/** A column as it was left. Which columns there are, only the table knows. */
const columnChoiceSchema = z.strictObject({
  key: z.string().max(columnLimits.keyLength),
  isShown: z.boolean(),
  width: z.int().min(columnWidths.least).max(columnWidths.most).nullable(),
})

export type ListChoices = z.infer<typeof listChoicesSchema>

/**
 * The screen that was shown last: its path, and the deployment that was open with its environment. An identifier is no name,
 * and says nothing to whoever reads the file.
 */
const screenChoiceSchema = z.strictObject({
  path: z.string().regex(/^\/[a-z-]{1,40}$/),
  deployment: z
    .strictObject({ environmentId: z.string().max(100), id: z.string().min(1).max(300) })
    .nullable(),
})

export type ScreenChoice = z.infer<typeof screenChoiceSchema>

/** What the operator chose of how Slipway shows things, for the next start. */
export const choicesSchema = z.strictObject({
  /** How often the live list is read again, in seconds; 0 is never. */
  refreshSeconds: z.literal(refreshChoices).default(15),
  /**
   * The shortcuts that were changed, by command. Any texts, so that a file stays readable whatever commands a version has:
   * `shortcutsOf` takes what holds.
   */
  shortcuts: z
    .record(z.string().max(40), z.array(z.string().max(shortcutLimits.longest)).max(shortcutLimits.most))
    .default({}),
  /** By environment. */
  lists: z.record(z.string().max(100), listChoicesSchema).default({}),
  /** The columns of the deployments table, in their order; none for the usual ones. */
  columns: z.array(columnChoiceSchema).max(columnLimits.columns).default([]),
  rowHeight: z.enum(rowHeights).default('compact'),
  /** Null for the first screen. */
  screen: screenChoiceSchema.nullable().default(null),
})

export type Choices = z.infer<typeof choicesSchema>
