import { z } from 'zod'

/** The content of a diagnostics bundle, shown to the operator before it is saved. */
export interface DiagnosticsContent {
  /** The files of the bundle, with their uncompressed size in bytes. */
  files: { name: string; bytes: number }[]
  /** The text of `summary.json`, exactly as it will be saved. */
  summary: string
}

/** Where the bundle was saved; null if the operator cancelled. */
export interface DiagnosticsSaved {
  path: string | null
}

/** The largest file that is opened as a request, in bytes. */
export const largestRequestFile = 1_000_000

/** A file that the operator chose: its name without its folder, and its text. Null if the operator chose none. */
export type OpenedRequestFile = { fileName: string; text: string } | null

/** A request to save: its text without values of secrets, and a name for the file. */
export const requestFileToSaveSchema = z.strictObject({
  baseName: z.string().max(1_000),
  extension: z.enum(['json', 'yaml']),
  text: z.string().max(5_000_000),
})

export type RequestFileToSave = z.infer<typeof requestFileToSaveSchema>

/** Where it was saved; null if the operator cancelled. */
export interface SavedRequestFile {
  path: string | null
}
