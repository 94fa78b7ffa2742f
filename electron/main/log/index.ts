import { renameSync } from 'node:fs'
import { join } from 'node:path'
import electronLog from 'electron-log/node'
import { redact } from './redact'

const logLevels = ['error', 'warn', 'info', 'debug'] as const

export type LogLevel = (typeof logLevels)[number]

/** The lowest level that is written: `info`, or the value of `SLIPWAY_LOG_LEVEL`. */
export function levelFrom(variables: Record<string, string | undefined>): LogLevel {
  return logLevels.find((level) => level === variables['SLIPWAY_LOG_LEVEL']) ?? 'info'
}

/** The fields of a line: identifiers, statuses, durations, codes. Never the name of a deployment. */
type LogFields = Record<string, string | number | boolean | null | undefined>

type Write = (area: string, message: string, fields?: LogFields) => void

/** The application's log. No call throws. Each line is redacted, and is on the disk when the call returns. */
export interface Log extends Record<LogLevel, Write> {
  /** Starts writing into a folder. Writes earlier lines first. */
  open: (folder: string, level: LogLevel) => void
}

/** The size at which a file is full, in bytes, and how many characters of a text are redacted and written. */
const limits = { fileBytes: 1024 * 1024, text: 20_000, line: 4_000 } as const

/** The names of the log files, newest first. */
export const logFileNames: readonly string[] = [
  'slipway.log',
  ...[1, 2, 3, 4].map((age) => `slipway.${age}.log`),
]

/** Creates a log that holds its lines until it is opened. */
export function createLog(fileBytes: number = limits.fileBytes): Log {
  const logger = electronLog.create({ logId: 'slipway' })
  const { file } = logger.transports
  logger.transports.console.level = false
  file.format = '{text}'
  file.maxSize = fileBytes
  let lowest: LogLevel = 'debug'
  let early: (() => void)[] | null = []

  const write =
    (level: LogLevel): Write =>
    (area, message, fields = {}) => {
      try {
        const text = redact([message, ...fieldTexts(fields)].join(' ').slice(0, limits.text))
        const head = `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${area.padEnd(9)}`
        const line = `${head} ${printable(text).slice(0, limits.line)}`
        const append = (): void => {
          if (logLevels.indexOf(level) <= logLevels.indexOf(lowest)) logger[level](line)
        }
        if (early) early.push(append)
        else append()
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
      file.resolvePathFn = () => join(folder, logFileNames[0]!)
      file.archiveLogFn = () => rotate(folder)
      early?.forEach((append) => append())
      early = null
    },
  }
}

/** The log of this process. It exists before any other code runs, so that early errors can be logged. */
export const log = createLog()

/** Makes room when the newest file is full. The oldest file is overwritten. */
function rotate(folder: string): void {
  for (let age = logFileNames.length - 1; age > 0; age -= 1) {
    try {
      renameSync(join(folder, logFileNames[age - 1]!), join(folder, logFileNames[age]!))
    } catch {
      // Not every file exists yet.
    }
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
