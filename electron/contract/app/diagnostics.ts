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
