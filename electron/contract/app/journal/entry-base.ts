import { z } from 'zod'

/** What every entry of the journal has. */
export const entryBase = {
  id: z.string(),
  /** When it began and ended (ISO 8601); `endedAt` is null while it is running. */
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  environmentId: z.string(),
  environmentName: z.string(),
}

/** Where a call went: a keyed hash of the service or the account, and its key in base64. */
export const calledSchema = z.object({ salt: z.string(), identity: z.string() })

export type Called = z.infer<typeof calledSchema>
