import { z } from 'zod'
import { csvSeparators, listChoicesSchema } from '../cache/query'
import { commandIds, type ShortcutChanges, shortcutLimits } from '../app/shortcuts'
import {
  boardLimits,
  defaultBoard,
  changePeriods,
  stuckChoices,
  defaultOverview,
  panelWidths,
  defaultPanel,
  defaultRefresh,
  refreshChoices,
  longestScreenId,
  columnLimits,
  columnWidths,
  rowHeights,
  previewWidths,
} from './screens'

export * from './screens'

/** The last state of a column of the deployments table, which alone knows which columns exist. */
const columnChoiceSchema = z.strictObject({
  key: z.string().max(columnLimits.keyLength),
  isShown: z.boolean(),
  width: z.int().min(columnWidths.min).max(columnWidths.max).nullable(),
})

/** How a column of the deployments table is shown. */
export type ColumnChoice = z.infer<typeof columnChoiceSchema>

/**
 * The last state of the panel beside the list. The deployment that it showed isn't stored, because its row may be
 * elsewhere by then.
 */
const panelChoiceSchema = z.strictObject({
  isOpen: z.boolean(),
  width: z.int().min(panelWidths.min).max(panelWidths.max),
})

const overviewChoiceSchema = z.strictObject({
  stuckMinutes: z.literal(stuckChoices).default(defaultOverview.stuckMinutes),
  period: z.enum(changePeriods).default(defaultOverview.period),
  /** When it was last left (ISO 8601); null if it never was. */
  leftAt: z.iso.datetime().nullable().default(null),
})

const environmentIdSchema = z.string().max(100)

/** How the board was left. Which rows are pinned is in an encrypted file, which has names. */
const boardChoiceSchema = z.strictObject({
  /** The environments that were arranged by hand, in their order. */
  order: z.array(environmentIdSchema).max(boardLimits.columns),
  /** Whether an environment is shown, if the operator chose that. */
  columns: z.record(environmentIdSchema, z.boolean()),
  onlyDiffering: z.boolean(),
})

/**
 * The last screen: its path, and the open deployment with its environment. An identifier reveals nothing to a reader of
 * the file, unlike a name.
 */
const screenChoiceSchema = z.strictObject({
  path: z.string().regex(/^\/[a-z-]{1,40}$/),
  deployment: z
    .strictObject({ environmentId: z.string().max(100), id: z.string().min(1).max(longestScreenId) })
    .nullable(),
})

export type ScreenChoice = z.infer<typeof screenChoiceSchema>

/** The entries of commands that exist. */
const ofCommands = (changes: ShortcutChanges): unknown => {
  if (typeof changes !== 'object' || changes === null) return changes
  return Object.fromEntries(
    commandIds.flatMap((id) => (Object.hasOwn(changes, id) ? [[id, changes[id]]] : [])),
  )
}

/** The operator's choices on how Slipway shows things, for the next start. */
export const choicesSchema = z.strictObject({
  /** How often the live list is read again, in seconds; 0 is never. */
  refreshSeconds: z.literal(refreshChoices).default(defaultRefresh),
  /**
   * The shortcuts that were changed, by command. The page sets valid ones. Entries of unknown commands are dropped, so
   * that it can't fill the file.
   */
  shortcuts: z
    .preprocess(
      ofCommands,
      z.record(z.string().max(40), z.array(z.string().max(shortcutLimits.longest)).max(shortcutLimits.max)),
    )
    .default({}),
  lists: z.record(z.string().max(100), listChoicesSchema).default({}),
  /** The columns of the deployments table, in their order; empty for the default ones. */
  columns: z.array(columnChoiceSchema).max(columnLimits.columns).default([]),
  rowHeight: z.enum(rowHeights).default('compact'),
  csvSeparator: z.enum(csvSeparators).default(','),
  panel: panelChoiceSchema.default(defaultPanel),
  overview: overviewChoiceSchema.default(defaultOverview),
  board: boardChoiceSchema.default(defaultBoard),
  /** The width of the request beside the creation form, in pixels; null for the default. */
  previewWidth: z.int().min(previewWidths.min).max(previewWidths.max).nullable().default(null),
  /** Null for the first screen. */
  screen: screenChoiceSchema.nullable().default(null),
})

export type Choices = z.infer<typeof choicesSchema>
