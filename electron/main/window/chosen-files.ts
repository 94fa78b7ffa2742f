import { randomUUID } from 'node:crypto'
import { chmod, type FileHandle, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fail, failure, type Outcome, succeed } from '@contract'
import { errorCode, ownerOnly } from '../files'

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

/** Reads a file of at most `limit` bytes; null if it is larger. Rejects as the file system does, and for a pipe or a device. */
export async function readAtMost(path: string, limit: number): Promise<Buffer | null> {
  const found = await stat(path)
  if (!found.isFile()) throw new Error('It is no ordinary file.')
  return found.size > limit ? null : await readFile(path)
}

/**
 * Reads a file of UTF-8 text that the operator chose; null if they chose none. Failures: `invalid-input` if it is too
 * large or not text, `internal` if it can't be read.
 *
 * @param limit the largest size in bytes, a whole number of megabytes
 * @param kind ends the sentence about a file that is too large: "so it can't be …"
 * @param advice which file to choose instead
 */
export async function readChosen(
  path: string | null,
  limit: number,
  { kind, advice }: { kind: string; advice: string },
): Promise<Outcome<ChosenFile | null>> {
  if (path === null) return succeed(null)
  const fileName = basename(path)
  const refused = (message: string): Outcome<never> => fail(failure('invalid-input', message, { advice }))
  try {
    const bytes = await readAtMost(path, limit)
    if (!bytes) return refused(`${fileName} is larger than ${limit / 1_000_000} MB, so it can't be ${kind}.`)
    return succeed({ fileName, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes })
  } catch (error) {
    if (error instanceof TypeError) return refused(`${fileName} isn't UTF-8 text.`)
    return fail(
      failure('internal', `${fileName} couldn't be read.`, {
        advice: 'Check that it still exists and that you can read it, then try again.',
        retryable: true,
      }),
    )
  }
}

/** Writes a file where the operator chose, as `writeChosen` does, and nothing if they chose no place. */
export async function saveChosen<Path extends string | null>(
  path: Path,
  content: string | Uint8Array,
  what: string,
): Promise<Outcome<{ path: Path }>> {
  if (path === null) return succeed({ path })
  return await writeChosen(path, what, async (file) => {
    await file.writeFile(content)
    return succeed({ path })
  })
}

/**
 * Writes a file where the operator chose: a new one for its owner only, an existing one with its permissions. What is
 * written takes its place at the end, so that a failure, one of `write` too, leaves an existing file as it was. A link
 * leads to its target. Failures besides those of `write`: `disk-full`, `internal`.
 *
 * @param what begins the failure's sentence: "The request"
 */
export async function writeChosen<T>(
  path: string,
  what: string,
  write: (file: FileHandle) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  try {
    const target = await realpath(path).catch(() => path)
    const old = await stat(target).catch(() => null)
    const draft = join(dirname(target), `.slipway-${randomUUID()}.part`)
    try {
      const file = await open(draft, 'wx', ownerOnly.file)
      let outcome: Outcome<T>
      try {
        outcome = await write(file)
        await file.sync()
      } finally {
        await file.close()
      }
      if (!outcome.ok) return outcome
      if (old) await chmod(draft, old.mode & 0o777)
      await rename(draft, target)
      return outcome
    } finally {
      await rm(draft, { force: true })
    }
  } catch (error) {
    const isFull = errorCode(error) === 'ENOSPC'
    return fail(
      failure(isFull ? 'disk-full' : 'internal', `${what} couldn't be saved there.`, {
        advice: isFull
          ? 'Free up disk space, or choose another disk.'
          : 'Choose another folder and try again.',
        retryable: true,
      }),
    )
  }
}
