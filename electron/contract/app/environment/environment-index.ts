import { z } from 'zod'

const entrySchema = z.strictObject({ id: z.string().min(1), name: z.string() })

/**
 * The file beside the keychain: identifiers and names of environments, and nothing of their profiles. It shows
 * whether a profile is missing or the keychain is only locked.
 */
export const environmentIndexSchema = z.strictObject({
  version: z.literal(1),
  environments: z.array(entrySchema),
  /** Environments whose keychain entry was being written when this was saved: it may exist or not. */
  unfinished: z.array(entrySchema),
  /** The last current environment. */
  current: z.string(),
  /** Integrations that were used with a built-in environment, newest first. */
  integrations: z.record(z.string(), z.array(z.string())),
  /** Whether an earlier index was damaged, so that the keychain has to be searched for its environments. */
  rebuild: z.boolean(),
})

/** An index of a newer version. Slipway leaves it unchanged. */
export const newerEnvironmentIndexSchema = z.looseObject({ version: z.int().min(2) })

export type EnvironmentIndex = z.infer<typeof environmentIndexSchema>
