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
