import { z } from 'zod'

/** What a diagnostics bundle holds, to be looked at before it is saved. */
export const diagnosticsContentSchema = z.object({
  /** The files of the bundle, with their size in bytes as unpacked. */
  files: z.array(z.object({ name: z.string(), bytes: z.int() })),
  /** The text of `summary.json`, as it would be saved. */
  summary: z.string(),
})

export type DiagnosticsContent = z.infer<typeof diagnosticsContentSchema>

/** Where the bundle was saved; null when the user chose not to. */
export const diagnosticsSavedSchema = z.object({ path: z.string().nullable() })

export type DiagnosticsSaved = z.infer<typeof diagnosticsSavedSchema>
