import { z } from 'zod'

/** The state of a synchronisation, saved with the cache, so that it can continue after a restart. */
const savedRunSchema = z.object({
  run: z.int().positive(),
  done: z.boolean(),
  pass: z.int(),
  newestCreated: z.number().nullable(),
  state: z
    .object({
      boundary: z.number(),
      chained: z.boolean(),
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

/** The note of a run that mustn't be continued; null if there is nothing to continue. */
export function givenUpRun(note: string | null): string | null {
  const saved = parseSavedRun(note)
  return saved && !saved.done ? JSON.stringify({ ...saved, done: true }) : null
}

/** Reads the note of a run. Gives null if there is none, or if another version of Slipway wrote it. */
export function parseSavedRun(note: string | null): SavedRun | null {
  if (note === null) return null
  const saved = savedRunSchema.safeParse(JSON.parse(note))
  return saved.success ? saved.data : null
}
