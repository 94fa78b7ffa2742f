import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import electronLog from 'electron-log/node'
import { credentialWords, hiddenValue } from '@contract'
import { homedir } from 'node:os'
import type { UtilityProcess } from 'electron'

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

/**
 * Describes an error for the log: its name, its code, the first line of its message and of its cause, and its stack.
 * Libraries quote their input in error messages (a request, a name, invalid JSON), so quoted text is removed. The
 * result must still be redacted.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return describeOther(error)
  const stackLines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const { cause } = error
  return [
    `${error.name}${codeOf(error)}: ${firstLine(error.message)}`,
    ...stackLines,
    ...(cause === undefined ? [] : [`caused by ${firstLine(describeError(cause))}`]),
  ].join('\n')
}

function describeOther(error: unknown): string {
  if (typeof error === 'object' && error !== null) return `not an Error${codeOf(error)}`
  return firstLine(String(error))
}

function codeOf(error: object): string {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^[\w-]{1,60}$/.test(code) ? ` (${code})` : ''
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.replace(/"(?:[^"\\]|\\.)*(?:"|$)|'[^']*'(?!\w)|`[^`]*`|[“«][^”»]*[”»]/g, hiddenValue)
}

/**
 * Patterns of secrets, and their replacements. Slipway logs no header, body or input; these catch what a library's
 * message may quote.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-\n]*-----[\s\S]*?(?:-----END[^\n]*|$)/g, hiddenValue],
  [
    new RegExp(`((?:${credentialWords}|key)[\\w-]{0,60}"?\\s{0,9}[:=]\\s{0,9})[^\\n]*`, 'gi'),
    `$1${hiddenValue}`,
  ],
  [/\b(bearer|basic|digest|negotiate)\s+\S+/gi, `$1 ${hiddenValue}`],
  [/\/\/[^/\s]*@/g, `//${hiddenValue}@`],
  [/\?\S+/g, `?${hiddenValue}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, hiddenValue],
]

/**
 * A text without what looks like a secret: credentials after Authorization, Bearer and similar words, values after the
 * name of a key or password, credentials and queries of URLs, keys and certificates in PEM. The home folder becomes "~".
 */
export function redact(text: string, home = homedir()): string {
  const result = patterns.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
  return home.length > 1 ? result.replaceAll(home, '~') : result
}

/**
 * Writes an error that nothing else handles to the log and to standard error. Never includes what was sent or received.
 */
export function report(error: unknown): void {
  try {
    const text = describeError(error)
    log.error('error', text)
    console.error(`Slipway: ${redact(text)}`)
  } catch {
    // Reporting an error must never throw.
  }
}

/**
 * Lines that the built-in service writes when nothing is wrong: for each request that it answered, once it listens, and
 * when the sandbox has its sample already.
 */
const routineLine = /^(?:\d{4}-\d\d-\d\dT\S+ [A-Z]+ \/|listening on |--sample )/

/** Logs the start, the end and the output of a utility process. Always reads its pipes, so that they never fill up. */
export function logProcess(
  log: Log,
  name: string,
  child: Pick<UtilityProcess, 'stdout' | 'stderr' | 'on'>,
): void {
  child.on('spawn', () => log.info('process', `${name} began`))
  child.on('exit', (code) => log.info('process', `${name} ended`, { code }))
  for (const output of [child.stdout, child.stderr]) {
    if (!output) continue
    output.on('error', () => undefined)
    createInterface({ input: output }).on('line', (line) => {
      if (line.trim() !== '') log[routineLine.test(line) ? 'debug' : 'warn']('process', `${name}: ${line}`)
    })
  }
}
