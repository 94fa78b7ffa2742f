import { z } from 'zod'

const entrySchema = z.strictObject({ id: z.string().min(1), name: z.string() })

/**
 * What is kept outside the keychain: which environments there are, by identifier and name, so that "never
 * stored" can be told from "locked". Nothing of their profiles.
 */
export const environmentIndexSchema = z.strictObject({
  version: z.literal(1),
  environments: z.array(entrySchema),
  /** Environments whose entry was about to be written when this was saved: the keychain may have it or not. */
  unfinished: z.array(entrySchema),
  /** The environment that was current last. */
  current: z.string(),
  /** Integrations that were used with a built-in environment, newest first. */
  integrations: z.record(z.string(), z.array(z.string())),
  /** An earlier index was damaged: the keychain is to be searched for what it listed. */
  rebuild: z.boolean(),
})

/** An index of a later version, which is left as it is. */
export const newerEnvironmentIndexSchema = z.looseObject({ version: z.int().min(2) })

export type EnvironmentIndex = z.infer<typeof environmentIndexSchema>
