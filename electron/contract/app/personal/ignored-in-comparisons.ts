import { z } from 'zod'

/** How many fields comparisons can ignore, and how long a field's key and name may be, in characters. */
export const comparisonLimits = { ignored: 500, keyLength: 2_000, labelLength: 500 } as const

/** A field that comparisons ignore: its key (domain: Field) and its name at that time. */
export const ignoredFieldSchema = z.strictObject({
  key: z.string().min(1).max(comparisonLimits.keyLength),
  label: z.string().max(comparisonLimits.labelLength),
})

export type IgnoredField = z.infer<typeof ignoredFieldSchema>
