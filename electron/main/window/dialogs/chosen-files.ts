import { basename, dirname, resolve } from 'node:path'
import { type Failure, fail, failure, type Outcome, succeed } from '@contract'
import { readRegular, UnusableFileError, unlessMissing, withoutWaiting } from '../../files/regular-file'
import { constants, type Stats } from 'node:fs'
import { access, chmod, type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { type Files, nodeFiles, type OpenFile } from '../../files'
import { notRemembered, type UnfinishedFiles } from './unfinished-files'

/**
 * A file's name, without its extension, that is valid on every file system.
 *
 * @param name any text
 * @param otherwise what is used if nothing of it can be in a file's name
 */
export const fileNameOf = (name: string, otherwise: string): string =>
  name
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .slice(0, 100) || otherwise

/** A file that the operator chose: its name without its folder, its text, and the bytes of that. */
export interface ChosenFile {
  fileName: string
  text: string
  bytes: Uint8Array
}

/**
 * Reads a file of UTF-8 text that the operator chose. Failures: `invalid-input` if it is too large or not text,
 * `internal` if it can't be read.
 *
 * @param limit the largest size in bytes, a whole number of megabytes
 * @param kind ends the sentence about a file that is too large: "so it can't be …"
 * @param advice which file to choose instead
 */
export async function readChosen(
  path: string,
  limit: number,
  { kind, advice }: { kind: string; advice: string },
): Promise<Outcome<ChosenFile>> {
  const fileName = basename(path)
  const refused = (message: string): Failure => failure('invalid-input', message, { advice })
  try {
    const bytes = await readRegular(path, limit)
    if (!bytes) return fail(unreadable(fileName))
    return succeed({ fileName, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes })
  } catch (error) {
    if (error instanceof UnusableFileError && error.reason === 'is too large')
      return fail(refused(`${fileName} is larger than ${limit / 1_000_000} MB, so it can't be ${kind}.`))
    if (error instanceof TypeError) return fail(refused(`${fileName} isn't UTF-8 text.`))
    return fail(unreadable(fileName))
  }
}

const unreadable = (fileName: string): Failure =>
  failure('internal', `${fileName} couldn't be read.`, {
    advice: 'Check that it still exists and that you can read it, then try again.',
    retryable: true,
  })

/**
 * Writes a file where the operator chose, as `writeChosen` does. Gives why it couldn't, or null.
 *
 * @param what begins the failure's sentence: "The request"
 */
export async function saveChosen(
  path: string,
  content: string | Uint8Array,
  what: string,
  files: Files = nodeFiles,
): Promise<Failure | null> {
  const saved = await writeChosen(
    path,
    what,
    async (file) => {
      await file.append(Buffer.from(content))
      await file.sync()
      return succeed(null)
    },
    { files, unfinished: notRemembered(files) },
  )
  return saved.ok ? null : saved.failure
}

/**
 * Writes a file where the operator chose: a new one for its owner only, an existing one with its permissions. What is
 * written takes its place at the end, so that a failure, one of `write` too, leaves an existing file as it was. A link
 * leads to its target. Failures besides those of `write`: `disk-full`, `internal`.
 *
 * @param what begins the failure's sentence: "The request"
 * @param write writes and syncs
 */
export async function writeChosen<T>(
  path: string,
  what: string,
  write: (file: OpenFile) => Promise<Outcome<T>>,
  { files, unfinished }: { files: Files; unfinished: UnfinishedFiles },
): Promise<Outcome<T>> {
  try {
    const target = await targetOf(path)
    const old = await stat(target).catch(unlessMissing)
    // Whether its folder would let it be replaced is another question.
    if (old) await access(target, constants.W_OK)
    const writeIn = async (folder: string, put: (draft: string) => Promise<void>): Promise<Outcome<T>> => {
      const draft = await unfinished.begin(folder)
      try {
        const file = await files.open(draft, 'new').catch(notOpened)
        let outcome: Outcome<T>
        try {
          outcome = await write(file)
        } finally {
          await file.close()
        }
        if (outcome.ok) await put(draft)
        return outcome
      } finally {
        await unfinished.end(draft)
      }
    }
    const elsewhere = (): Promise<Outcome<T>> => writeIn(tmpdir(), (draft) => copyInto(draft, target))
    if (old && !old.isFile()) return await elsewhere()
    try {
      return await writeIn(dirname(target), (draft) => replace(draft, target, old, files))
    } catch (error) {
      if (old && error instanceof NotOpenedError && takesNoFile(error.cause)) return await elsewhere()
      throw error
    }
  } catch (error) {
    return fail(notSaved(what, error instanceof NotOpenedError ? error.cause : error))
  }
}

/** The failure of writing to a file that the operator chose: `disk-full` or `internal`. `what` begins the sentence. */
function notSaved(what: string, error: unknown): Failure {
  const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC'
  return failure(isFull ? 'disk-full' : 'internal', `${what} couldn't be saved there.`, {
    advice: isFull ? 'Free up disk space, or choose another disk.' : 'Choose another folder and try again.',
    retryable: true,
  })
}

/** The file beside the chosen one couldn't be opened. */
class NotOpenedError extends Error {}

function notOpened(cause: unknown): never {
  throw new NotOpenedError('The folder takes no new file.', { cause })
}

/** A folder that is for reading, or of others; and a file in it that can be written but not replaced. */
const takesNoFile = (error: unknown): boolean =>
  ['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')

/** As many as Linux follows. */
const maxLinks = 40

/** Where a path leads, also where nothing is there yet. */
async function targetOf(path: string): Promise<string> {
  let target = path
  for (let links = 0; links < maxLinks; links += 1) {
    const next = await readlink(target).catch(() => null)
    if (next === null) return target
    target = resolve(await realpath(dirname(target)), next)
  }
  throw new Error('The links lead nowhere.')
}

async function replace(draft: string, target: string, old: Stats | null, files: Files): Promise<void> {
  // Some file systems have no permissions.
  if (old) await chmod(draft, old.mode & 0o777).catch(() => undefined)
  try {
    await files.rename(draft, target)
  } catch (error) {
    if (!old || !takesNoFile(error)) throw error
    return copyInto(draft, target)
  }
  // The file is there; some folders can't be synced.
  await files.syncFolder(dirname(target)).catch(() => undefined)
}

/** Writes the content of a file into an existing one, or into a device. */
async function copyInto(draft: string, target: string): Promise<void> {
  const from = await open(draft, 'r')
  try {
    const to = await open(target, constants.O_WRONLY | withoutWaiting)
    try {
      const { size } = await from.stat()
      const old = await to.stat()
      if (old.isFile()) await overwrite(from, size, to, old.size)
      else await copyRange(from, to, 0, size, false)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

/** What needs more space comes first, so that a full disk leaves the file as it was. */
async function overwrite(from: FileHandle, size: number, to: FileHandle, oldSize: number): Promise<void> {
  try {
    await copyRange(from, to, oldSize, size)
    await to.sync()
  } catch (error) {
    await to.truncate(oldSize)
    throw error
  }
  await copyRange(from, to, 0, Math.min(size, oldSize))
  if (size < oldSize) await to.truncate(size)
  await to.sync()
}

async function copyRange(
  from: FileHandle,
  to: FileHandle,
  start: number,
  end: number,
  isSeekable = true,
): Promise<void> {
  const buffer = Buffer.alloc(64 * 1024)
  for (let at = start; at < end;) {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, end - at), at)
    if (bytesRead === 0) return
    for (let done = 0; done < bytesRead;) {
      const position = isSeekable ? at + done : null
      done += (await to.write(buffer, done, bytesRead - done, position)).bytesWritten
    }
    at += bytesRead
  }
}
