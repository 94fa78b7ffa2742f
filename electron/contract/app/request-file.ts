import { z } from 'zod'

/** The largest file that is read as a request, in bytes. */
export const largestRequestFile = 1_000_000

/** A file that was chosen: its name without its folder, and its text. Null when the user chose none. */
export const openedRequestFileSchema = z.object({ fileName: z.string(), text: z.string() }).nullable()

export type OpenedRequestFile = z.infer<typeof openedRequestFileSchema>

/** A request to be saved: its text without values of secrets, and a name for the file. */
export const requestFileToSaveSchema = z.strictObject({
  baseName: z.string().max(1_000),
  extension: z.enum(['json', 'yaml']),
  text: z.string().max(5_000_000),
})

export type RequestFileToSave = z.infer<typeof requestFileToSaveSchema>

/** Where it was saved; null when the user chose not to. */
export const savedRequestFileSchema = z.object({ path: z.string().nullable() })

export type SavedRequestFile = z.infer<typeof savedRequestFileSchema>
