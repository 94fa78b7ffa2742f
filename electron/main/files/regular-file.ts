import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, lstat, open, stat } from 'node:fs/promises'

/** A larger file isn't Slipway's, in bytes. */
export const largestFile = 64 * 1024 * 1024

/** Slipway can't have written what is at the path: a folder, a pipe, a device, or a file that is far too large. */
export class UnusableFileError extends Error {
  readonly code = 'UNUSABLE_FILE'

  constructor(readonly reason: 'is not an ordinary file' | 'is too large') {
    super(`What has the file's name ${reason}.`)
  }
}

/** Without this flag, opening a pipe waits for its other end. Windows doesn't have it. */
export const withoutWaiting = constants.O_NONBLOCK ?? 0

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_TRUNC } = constants

const flags = {
  read: O_RDONLY | withoutWaiting,
  append: O_RDWR | O_APPEND | O_CREAT | withoutWaiting,
  new: O_RDWR | O_CREAT | O_TRUNC | withoutWaiting,
  write: O_WRONLY | O_CREAT | O_TRUNC | withoutWaiting,
} as const

/** How to open a file: to read; to append, created if missing; empty, also to read; empty. */
export type Opening = keyof typeof flags

/**
 * Opens an ordinary file, or the target of a link to one. Never blocks on a pipe. Rejects if the file system does, and
 * with an UnusableFileError if it isn't an ordinary file.
 *
 * @param mode what others may do at most, also with a file that is there already, as far as the system lets it be
 *   changed
 */
export async function openRegular(path: string, how: Opening, mode = 0o777): Promise<FileHandle> {
  const file = await open(path, flags[how], mode).catch(named)
  try {
    const stats = await file.stat()
    refuseOthers(stats)
    if (isTooOpen(stats, mode)) await file.chmod(stats.mode & mode).catch(() => undefined)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The same, synchronous. Gives a descriptor. */
export function openRegularNow(path: string, how: Opening, mode = 0o777): number {
  const file = opened(path, how, mode)
  try {
    const stats = fstatSync(file)
    refuseOthers(stats)
    if (isTooOpen(stats, mode)) narrowNow(file, stats.mode & mode)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** Reads a whole file of at most `limit` bytes; null if it doesn't exist. Rejects like `openRegular`. */
export async function readRegular(path: string, limit = largestFile): Promise<Buffer | null> {
  const file = await openRegular(path, 'read').catch(unlessMissing)
  if (file === null) return null
  try {
    const bytes = bufferFor(await file.stat(), limit)
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    await file.close()
  }
}

/** The same, synchronous. */
export function readRegularNow(path: string, limit = largestFile): Buffer | null {
  let file: number
  try {
    file = openRegularNow(path, 'read')
  } catch (error) {
    return unlessMissing(error)
  }
  try {
    const bytes = bufferFor(fstatSync(file), limit)
    let length = 0
    while (length < bytes.length) {
      const bytesRead = readSync(file, bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

/** The status of what is at a path; of the link itself if it leads back to itself. Rejects if the file system does. */
export async function statusOf(path: string): Promise<Stats> {
  try {
    return await stat(path)
  } catch (error) {
    if (isCircle(error)) return await lstat(path)
    throw error
  }
}

/** The same, synchronous. */
export function statusOfNow(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    if (isCircle(error)) return lstatSync(path)
    throw error
  }
}

/** Null for the error of a missing file. Throws every other error. */
export function unlessMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException | null)?.code === 'ENOENT') return null
  throw error
}

function refuseOthers(stats: Stats): void {
  if (!stats.isFile()) throw new UnusableFileError('is not an ordinary file')
}

/** Whether others may do more with a file than `mode` says. Windows has rules of its own. */
function isTooOpen(stats: Stats, mode: number): boolean {
  return process.platform !== 'win32' && (stats.mode & 0o777 & ~mode) !== 0
}

function narrowNow(file: number, mode: number): void {
  try {
    fchmodSync(file, mode)
  } catch {
    // It can be written all the same; a start names what others can read.
  }
}

function bufferFor({ size }: Stats, limit: number): Buffer {
  if (size > limit) throw new UnusableFileError('is too large')
  return Buffer.alloc(size)
}

const isCircle = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ELOOP'

function opened(path: string, how: Opening, mode: number): number {
  try {
    return openSync(path, flags[how], mode)
  } catch (error) {
    return named(error)
  }
}

/**
 * The errors of a folder that is opened to write, a socket, a pipe without a reader, and links that lead in a circle.
 */
function named(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException
  const isOther = code === 'EISDIR' || code === 'ENXIO' || isCircle(error)
  if (isOther) throw new UnusableFileError('is not an ordinary file')
  throw error
}
