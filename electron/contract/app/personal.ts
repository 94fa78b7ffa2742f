import { z } from 'zod'
import { answerLimits } from '../deployment-api/list'
import { isSeen, isWellFormed } from '../core/text'
import { descriptionOf, filterNames, listFilters, type PrivateFilter } from '../cache/filters'
import { identifierSchema } from './environment'
import { longestFilter } from '../deployment-api/deployment'

/** How many choices of the command palette are remembered, over all environments. */
export const recentLimits = { count: 20 } as const

/** A choice in the command palette: a command, an environment, or a deployment of the current environment. */
export const recentChoiceSchema = z.strictObject({
  kind: z.enum(['command', 'environment', 'deployment']),
  id: z.string().min(1).max(answerLimits.identifierLength),
})

export type RecentChoice = z.infer<typeof recentChoiceSchema>

/** How many fields comparisons can ignore, and how long a field's key and name may be, in characters. */
export const comparisonLimits = { ignored: 500, keyLength: 2_000, labelLength: 500 } as const

/** A field that comparisons ignore: its key (domain: Field) and its name at that time. */
export const ignoredFieldSchema = z.strictObject({
  key: z.string().min(1).max(comparisonLimits.keyLength),
  label: z.string().max(comparisonLimits.labelLength),
})

export type IgnoredField = z.infer<typeof ignoredFieldSchema>

/**
 * Limits for annotations. They are far beyond any real need, and keep a page from filling memory and disk.
 * `deployments` counts those of one environment, over all services that it has led to. Lengths are in characters.
 */
export const annotationLimits = {
  deployments: 5_000,
  labels: 20,
  labelLength: 40,
  noteLength: 10_000,
} as const

/**
 * A label in its stored form. The same characters, composed differently (`é` of one or two), would look like another
 * label. If composing breaks a rule of labels, the label stays as it is.
 */
export function composedLabel(label: string): string {
  const composed = label.normalize('NFC')
  return composed.length <= annotationLimits.labelLength && isSeen(composed) ? composed : label
}

const labelSchema = z
  .string()
  .trim()
  .min(1, 'Enter a label.')
  .max(annotationLimits.labelLength, `Use at most ${annotationLimits.labelLength} characters.`)
  // Otherwise, two labels could look the same.
  .refine(isSeen, 'Use visible characters only.')

const enteredLabelSchema = labelSchema
  .refine(isWellFormed, 'Use visible characters only.')
  .overwrite(composedLabel)

const noteSchema = z
  .string()
  .max(annotationLimits.noteLength, 'Use at most 10,000 characters.')
  .refine(isWellFormed, 'Remove the characters that are not valid Unicode.')

/** The identifier of a deployment, as services send it. */
const deploymentIdSchema = z.string().min(1).max(answerLimits.identifierLength)

const nameSchema = z.string().max(answerLimits.summaryTextLength + 1)

/** The operator's data about a deployment, on this machine only. */
export interface Annotation {
  deploymentId: string
  /** The deployment's name when it was last known, for when the service no longer has it. */
  name: string
  favourite: boolean
  labels: string[]
  note: string
}

/**
 * A change of an annotation. Absent members stay as they are, and so does the name if it is null. A change names one
 * label instead of all, because another change may be on its way.
 */
export const annotationChangeSchema = z.strictObject({
  environmentId: identifierSchema,
  /** Where the environment led when the page read the deployment (`Environment.service`). */
  service: z.string().max(1_000).nullable(),
  deploymentId: deploymentIdSchema.refine(isWellFormed),
  name: nameSchema.overwrite((text) => text.toWellFormed()).nullable(),
  change: z.strictObject({
    favourite: z.boolean().optional(),
    addLabel: enteredLabelSchema.optional(),
    removeLabel: enteredLabelSchema.optional(),
    note: noteSchema.optional(),
  }),
})

export type AnnotationChange = z.infer<typeof annotationChangeSchema>

/**
 * Limits for the filters that are remembered. `services` counts those of all environments: the ones used last. A longer
 * text isn't remembered. Lengths are in characters.
 */
export const lastFilterLimits = { services: 50, textLength: 1_000 } as const

const textSchema = z.string().max(longestFilter)

type PrivateKind = (typeof listFilters)[PrivateFilter]['kind']

const privateValues = {
  text: textSchema,
  ids: textSchema,
  flag: z.boolean(),
  label: z.string().max(annotationLimits.labelLength).nullable(),
} satisfies Record<PrivateKind, z.ZodType>

/**
 * The filters of a list that were typed, or that show which deployments the operator cares about. They may contain
 * names of deployments, so they are only stored in an encrypted file. The other filters are in `ListChoices`.
 */
const lastFiltersSchema = z.strictObject({
  ...(Object.fromEntries(
    filterNames
      .filter((name) => descriptionOf(name).isPrivate)
      .map((name) => [name, privateValues[listFilters[name].kind as PrivateKind]]),
  ) as { [Name in PrivateFilter]: (typeof privateValues)[(typeof listFilters)[Name]['kind']] }),
  /** Whether the search was typed for the cache, which searches more than names, although the live list was chosen. */
  searchesCache: z.boolean(),
})

export type LastFilters = z.infer<typeof lastFiltersSchema>

export const lastFiltersChangeSchema = z.strictObject({
  environmentId: identifierSchema,
  /** Where the environment led when the list was filtered (`Environment.service`). */
  service: z.string().max(1_000),
  filters: lastFiltersSchema,
})
