import { z } from 'zod'

/** What wrote a log: the build of a revision, or its servers. */
export const logTypeSchema = z.enum(['build', 'deploy'])

export type LogType = z.infer<typeof logTypeSchema>

export interface LogLine {
  /** Identifies the line among those of its log. */
  key: string
  /** ISO 8601 in UTC; null if the service says none. */
  at: string | null
  /** In capitals; null if the service says none. */
  level: string | null
  message: string
}

/** A part of a log, oldest line first, and where the service goes on; null at its end. */
export interface LogPage {
  lines: LogLine[]
  next: string | null
}
