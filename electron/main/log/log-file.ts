import { join } from 'node:path'
import { type Files, nodeFiles, UnusableFileError } from '../files'

/** When a file is full, in bytes; how many full ones are kept beside it; how much may wait to be written. */
const limits = { fileBytes: 1024 * 1024, olderFiles: 4, waitingCharacters: 2 * 1024 * 1024 } as const

/** After a write has failed nothing is tried for so long, in milliseconds: the disk may be full. */
const pauseAfterFailureMs = 5_000

/** The names of the files, newest first. */
export const logFileNames: readonly string[] = [
  'slipway.log',
  ...Array.from({ length: limits.olderFiles }, (_, index) => `slipway.${index + 1}.log`),
]

const newest = 'slipway.log'

const newline = 0x0a

/**
 * A log in a folder: one file, which is put aside when it is full. Lines wait in memory and are written behind the
 * back of whoever logs. Never throws; what cannot be written is counted, and the count is written once it can.
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

  /** Begins to write into a folder, which is made where it is missing; lines from before come first. */
  open(folder: string): void {
    this.#folder = folder
    this.#start()
  }

  /** Takes a line, without its end. */
  append(line: string): void {
    if (this.#waitingCharacters + line.length > limits.waitingCharacters) {
      this.#lost += 1
      return
    }
    this.#waiting.push(line)
    this.#waitingCharacters += line.length
    this.#start()
  }

  /** Resolves when everything that was taken so far is written, or could not be. */
  async flush(): Promise<void> {
    this.#pausedUntil = 0
    this.#start()
    await this.#writing
  }

  /** Writes what waits, at once: for the end of the process, after which nothing is written any more. */
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
    // What is logged in one turn is written in one piece.
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
        // Something else stands in the place of the log.
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

  /** Lines begin one of their own, also after one that was torn off when a write failed or the process ended. */
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
      // Not every file is there yet.
    }
  }

  #take(): string {
    const lost = this.#lost > 0 ? [`(${this.#lost} lines could not be written)`] : []
    const lines = [...lost, ...this.#waiting]
    this.#waiting = []
    this.#waitingCharacters = 0
    this.#lost = 0
    return lines.map((line) => `${line}\n`).join('')
  }
}

/** Which file becomes which when the newest is full; the oldest goes. */
function rotation(folder: string): [string, string][] {
  const paths = logFileNames.map((name) => join(folder, name))
  return paths
    .slice(0, -1)
    .map((path, index): [string, string] => [path, paths[index + 1]!])
    .reverse()
}
