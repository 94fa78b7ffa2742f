import { z } from 'zod'

/** The content of a diagnostics bundle, shown to the operator before it is saved. */
export const diagnosticsContentSchema = z.object({
  /** The files of the bundle, with their uncompressed size in bytes. */
  files: z.array(z.object({ name: z.string(), bytes: z.int() })),
  /** The text of `summary.json`, exactly as it will be saved. */
  summary: z.string(),
})

export type DiagnosticsContent = z.infer<typeof diagnosticsContentSchema>

/** Where the bundle was saved; null if the operator cancelled. */
export const diagnosticsSavedSchema = z.object({ path: z.string().nullable() })

export type DiagnosticsSaved = z.infer<typeof diagnosticsSavedSchema>

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
