import { z } from 'zod'

/** What is kept of a synchronisation with the cache, so that it can go on after a restart. */
export const savedRunSchema = z.object({
  run: z.int().positive(),
  done: z.boolean(),
  pass: z.int(),
  newestCreated: z.number().nullable(),
  /** Whether the service answered short pages before the end, in any pass so far. */
  shortPages: z.boolean().default(false),
  calm: z.int(),
  state: z
    .object({
      boundary: z.number(),
      chained: z.boolean(),
      /** The same, in the pass that was interrupted. */
      shortPages: z.boolean(),
      anchors: z.array(z.tuple([z.string(), z.string()])),
      covered: z.int(),
      fresh: z.int(),
      unexplained: z.int(),
      changed: z.int(),
      order: z.array(z.string()),
    })
    .nullable(),
})

export type SavedRun = z.infer<typeof savedRunSchema>
