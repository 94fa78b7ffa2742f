import { z } from 'zod'

/** The largest file that is opened as a request, in bytes. */
export const largestRequestFile = 1_000_000

/** A file that the operator chose: its name without its folder, and its text. Null if the operator chose none. */
export const openedRequestFileSchema = z.object({ fileName: z.string(), text: z.string() }).nullable()

export type OpenedRequestFile = z.infer<typeof openedRequestFileSchema>

/** A request to save: its text without values of secrets, and a name for the file. */
export const requestFileToSaveSchema = z.strictObject({
  baseName: z.string().max(1_000),
  extension: z.enum(['json', 'yaml']),
  text: z.string().max(5_000_000),
})

export type RequestFileToSave = z.infer<typeof requestFileToSaveSchema>

/** Where it was saved; null if the operator cancelled. */
export const savedRequestFileSchema = z.object({ path: z.string().nullable() })

export type SavedRequestFile = z.infer<typeof savedRequestFileSchema>
