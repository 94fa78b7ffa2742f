/** The form of the log: for each entry a line of text, or a JSON object. */
export type LogFormat = 'text' | 'json'

/** A request that was answered or aborted. */
interface RequestEntry {
  /** The identifier that its answer has in `X-Request-Id`. */
  id: string
  /** `-` if it couldn't be read. */
  method: string
  /** Address without the host, cut and printable; `-` if it couldn't be read. */
  path: string
  /** Null without an answer. */
  status: number | null
  /** How long it took, in milliseconds. */
  ms: number
}

/** The log, on standard error. It never has headers or bodies, which contain keys and secrets. */
export interface Log {
  request(entry: RequestEntry): void
  /** Logs normal operation. */
  note(message: string): void
  /** Logs a problem that whoever runs the service should fix, with its error. */
  problem(message: string, error?: unknown, requestId?: string): void
}

/** Lines that wait for the event loop's next turn, to share a write: one takes the service as long as half an answer. */
let waiting = ''

function add(text: string): void {
  if (waiting === '') setImmediate(writeWaiting)
  waiting += text
}

function writeWaiting(): void {
  if (waiting !== '') process.stderr.write(waiting)
  waiting = ''
}

process.once('exit', writeWaiting)

/** A log for people. */
export const textLog: Log = {
  request({ method, path, status, ms }) {
    add(`${new Date().toISOString()} ${method} ${path} ${status ?? '-'} ${ms.toFixed(1)} ms\n`)
  },
  note: (message) => add(`${message}\n`),
  problem(message, error) {
    writeWaiting()
    console.error(...(error === undefined ? [message] : [message, error]))
  },
}

/** A log for programs. */
async function jsonLog(): Promise<Log> {
  const { pino, stdTimeFunctions } = await import('pino')
  const logger = pino(
    {
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    { write: add },
  )
  return {
    request({ id, ms, ...entry }) {
      const isFailure = entry.status !== null && entry.status >= 500
      logger[isFailure ? 'error' : 'info'](
        { request_id: id, ...entry, ms: Math.round(ms * 10) / 10 },
        'request',
      )
    },
    note: (message) => logger.info(message),
    problem(message, error, requestId) {
      logger.error(
        {
          ...(requestId === undefined ? {} : { request_id: requestId }),
          ...(error === undefined ? {} : { err: error }),
        },
        message,
      )
    },
  }
}

/** Opens the log in a form. */
export const openLog = (format: LogFormat): Promise<Log> =>
  format === 'json' ? jsonLog() : Promise.resolve(textLog)

/** The longest text in a line, in characters. Longer ones are cut. */
const longest = 300

/** A text for one line of a log: cut if it is too long, with everything but printable ASCII escaped. */
export function printable(text: string): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}...` : text
  return cut.replace(/[^ -~]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  )
}
