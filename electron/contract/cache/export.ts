import { z } from 'zod'
import { filtersSchema, cachedQuerySchema } from './query/query'

const exportFormats = ['csv', 'json'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** What separates the columns of CSV. Spreadsheets expect a semicolon where numbers have a decimal comma. */
export const csvSeparators = [',', ';', '\t'] as const

export type CsvSeparator = (typeof csvSeparators)[number]

/** Which list is exported: the service's with its filters, or the cached one with its filters, search and order. */
const exportedListSchema = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('service'), filters: filtersSchema }),
  z.strictObject({ from: z.literal('cache'), query: cachedQuerySchema }),
])

export type ExportedList = z.infer<typeof exportedListSchema>

/** What to export, and how. */
export const exportRequestSchema = z.strictObject({
  list: exportedListSchema,
  format: z.enum(exportFormats),
  /** For CSV. */
  separator: z.enum(csvSeparators).default(','),
})

export type ExportRequest = z.infer<typeof exportRequestSchema>

/** The saved file. */
export const exportResultSchema = z.object({
  /** Null if the operator chose no file. */
  path: z.string().nullable(),
  /** How many deployments the file has. */
  written: z.int(),
  /** How many entries of the list couldn't be read and aren't in the file. */
  unreadable: z.int(),
  /**
   * Whether the list may have more deployments, because it changed during the export, didn't end properly, or contained
   * deployments that weren't requested.
   */
  mayBeIncomplete: z.boolean(),
})

export type ExportResult = z.infer<typeof exportResultSchema>

/** How far an export is. `total` is null for the service's list, whose length isn't known. */
export interface ExportProgress {
  environmentId: string
  written: number
  total: number | null
}
