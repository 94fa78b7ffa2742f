import { LogFile } from './log-file'
import type { Redactor } from './secrets/redaction'

const logLevels = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof logLevels)[number]

/** The lowest level that is written: `info`, or the value of `SLIPWAY_LOG_LEVEL`. */
export function levelFrom(variables: Record<string, string | undefined>): LogLevel {
  return logLevels.find((level) => level === variables['SLIPWAY_LOG_LEVEL']) ?? 'info'
}

/** The fields of a line: identifiers, statuses, durations, codes. Never the name of a deployment. */
type LogFields = Record<string, string | number | boolean | null | undefined>

type Write = (area: string, message: string, fields?: LogFields) => void

/** The application's log. No call throws or waits. Every line is redacted. */
export interface Log extends Record<LogLevel, Write> {
  /** Starts writing into a folder. Writes earlier lines first. */
  open: (folder: string, level: LogLevel) => void
  /** Resolves when everything logged so far is on disk, or couldn't be written. */
  flush: () => Promise<void>
  /** Writes the waiting lines synchronously, for the end of the process. */
  flushNow: () => void
}

/** How many characters of a text are redacted, and how many of the result are written. */
const longestText = 20_000
const longestLine = 4_000

/** Creates a log that holds its lines until it is opened. */
export function createLog(redactor: Redactor, file = new LogFile(), now = () => new Date()): Log {
  let lowest: LogLevel = 'debug'

  const write =
    (level: LogLevel): Write =>
    (area, message, fields = {}) => {
      if (logLevels.indexOf(level) > logLevels.indexOf(lowest)) return
      try {
        const text = redactor.redact([message, ...fieldTexts(fields)].join(' ').slice(0, longestText))
        const head = `${now().toISOString()} ${level.toUpperCase().padEnd(5)} ${area.padEnd(9)}`
        file.append(`${head} ${printable(text).slice(0, longestLine)}`)
      } catch {
        // A failure of the log must not fail its caller.
      }
    }

  return {
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    open(folder, level) {
      lowest = level
      file.open(folder)
    },
    flush: () => file.flush(),
    flushNow: () => file.flushNow(),
  }
}

function fieldTexts(fields: LogFields): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = String(value)
    return [`${name}=${/^[\w.:/+-]+$/.test(text) ? text : JSON.stringify(text)}`]
  })
}

/** Escapes what could make a line look like another one or reverse its text, and indents further lines. */
function printable(text: string): string {
  return text
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
    .replace(/\n\s*/g, '\n    ')
}
