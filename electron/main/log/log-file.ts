import { join } from 'node:path'
import { type Files, nodeFiles, UnusableFileError } from '../files'

/**
 * The size of a full file in bytes, the number of older files to keep, and the number of characters that may wait to be
 * written.
 */
const limits = { fileBytes: 1024 * 1024, olderFiles: 4, waitingCharacters: 2 * 1024 * 1024 } as const

/** How long to wait after a failed write before the next one, in milliseconds. The disk may be full. */
const pauseAfterFailureMs = 5_000

/** The names of the log files, newest first. */
export const logFileNames: readonly string[] = [
  'slipway.log',
  ...Array.from({ length: limits.olderFiles }, (_, index) => `slipway.${index + 1}.log`),
]

const newest = 'slipway.log'

const newline = 0x0a

/**
 * A log in a folder: one file, which is rotated when it is full. Lines wait in memory and are written in the
 * background. Never throws. Lines that can't be written are counted, and the count is written once a write succeeds.
 */
export class LogFile {
  #folder: string | null = null
  #waiting: string[] = []
  #waitingCharacters = 0
  #lost = 0
  #size = 0
  #pausedUntil = 0
  #writing: Promise<void> | null = null

  constructor(
    private readonly fileBytes: number = limits.fileBytes,
    private readonly files: Files = nodeFiles,
  ) {}

  /** Starts writing into a folder, and creates it if it is missing. Writes earlier lines first. */
  open(folder: string): void {
    this.#folder = folder
    this.#start()
  }

  /** Takes a line, without a line break at its end. */
  append(line: string): void {
    if (this.#waitingCharacters + line.length > limits.waitingCharacters) {
      this.#lost += 1
      return
    }
    this.#waiting.push(line)
    this.#waitingCharacters += line.length
    this.#start()
  }

  /** Resolves when all lines so far are written, or couldn't be. */
  async flush(): Promise<void> {
    this.#pausedUntil = 0
    this.#start()
    await this.#writing
  }

  /** Writes the waiting lines synchronously. For the end of the process, when a background write would never finish. */
  flushNow(): void {
    if (this.#folder === null) return
    const lines = this.#waiting.length + this.#lost
    const text = this.#take()
    if (text === '') return
    try {
      this.files.now.makeFolder(this.#folder)
      const file = join(this.#folder, newest)
      if ((this.files.now.size(file) ?? 0) + text.length > this.fileBytes) {
        for (const [from, to] of rotation(this.#folder)) this.#renameIfThere(from, to)
      }
      this.files.now.appendLines(file, text)
    } catch {
      this.#lost += lines
    }
  }

  #start(): void {
    if (this.#writing || this.#folder === null || this.#waiting.length === 0) return
    if (Date.now() < this.#pausedUntil) return
    this.#writing = this.#write(this.#folder).finally(() => {
      this.#writing = null
      this.#start()
    })
  }

  async #write(folder: string): Promise<void> {
    // Writes all lines of one event loop iteration together.
    await new Promise((resolve) => setImmediate(resolve))
    const lines = this.#waiting.length + this.#lost
    const text = this.#take()
    if (text === '') return
    const file = join(folder, newest)
    try {
      await this.files.makeFolder(folder)
      if (this.#size === 0) this.#size = (await this.files.size(file)) ?? 0
      const bytes = Buffer.byteLength(text)
      if (this.#size > 0 && this.#size + bytes > this.fileBytes) {
        await this.#rotate(folder)
      }
      await this.#append(file, text).catch(async (error: unknown) => {
        if (!(error instanceof UnusableFileError)) throw error
        // The log's path is taken by something that isn't a file.
        await this.#rotate(folder)
        await this.#append(file, text)
      })
      this.#size += bytes
    } catch {
      this.#lost += lines
      this.#size = 0
      this.#pausedUntil = Date.now() + pauseAfterFailureMs
    }
  }

  /** Starts on a new line, even if the last line was cut off by a failed write or the end of the process. */
  async #append(path: string, text: string): Promise<void> {
    const file = await this.files.open(path, 'append')
    try {
      const size = await file.size()
      const torn = size > 0 && (await file.read(size - 1, 1))[0] !== newline
      await file.append(Buffer.from(torn ? `\n${text}` : text))
    } finally {
      await file.close()
    }
  }

  async #rotate(folder: string): Promise<void> {
    for (const [from, to] of rotation(folder)) await this.files.rename(from, to).catch(() => undefined)
    this.#size = 0
  }

  #renameIfThere(from: string, to: string): void {
    try {
      this.files.now.rename(from, to)
    } catch {
      // Not every file exists yet.
    }
  }

  #take(): string {
    const lost = this.#lost > 0 ? [`(${this.#lost} lines couldn't be written)`] : []
    const lines = [...lost, ...this.#waiting]
    this.#waiting = []
    this.#waitingCharacters = 0
    this.#lost = 0
    return lines.map((line) => `${line}\n`).join('')
  }
}

/** The renames that make room when the newest file is full, as [from, to]. The oldest file is overwritten. */
function rotation(folder: string): [string, string][] {
  const paths = logFileNames.map((name) => join(folder, name))
  return paths
    .slice(0, -1)
    .map((path, index): [string, string] => [path, paths[index + 1]!])
    .reverse()
}
