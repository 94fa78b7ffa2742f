import { dirname } from 'node:path'
import { type Files, nodeFiles, type OpenFile, UnusableFileError } from '.'
import { asidePath } from './set-aside'
import { errorCode } from './error-code'
import { largestFile } from './regular-file'

/**
 * Writes a file whole or not at all: the old one stays until the new one is on the disk. Once this resolves, the
 * new one survives a power cut. Only its owner may read it. A folder, a pipe or a device at the path of the new file is
 * set aside, and so is a folder at the file's own.
 *
 * Rejects if the file system does, and with an UnusableFileError for a text that would be too large to read again.
 */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  files: Files = nodeFiles,
): Promise<void> {
  const bytes = Buffer.from(content)
  if (bytes.length > largestFile) throw new UnusableFileError('is too large')
  const draft = `${path}.new`
  try {
    const file = await openNew(draft, files)
    try {
      await file.append(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await replace(draft, path, files)
  } catch (error) {
    // On a full disk, the rest of it would block the next attempt.
    await files.remove(draft).catch(() => undefined)
    throw error
  }
  await files.syncFolder(dirname(path))
}

/** Puts the new file in its place. A folder there, which no file replaces, is set aside. */
async function replace(draft: string, path: string, files: Files): Promise<void> {
  try {
    await files.rename(draft, path)
  } catch (error) {
    if (errorCode(error) !== 'EISDIR') throw error
    await files.rename(path, await asidePath(files, path, 'in-the-way'))
    await files.rename(draft, path)
  }
}

/** Opens the new file. Sets aside anything else at its path, which would block every later attempt as well. */
async function openNew(draft: string, files: Files): Promise<OpenFile> {
  try {
    return await files.open(draft, 'new')
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error
    await files.rename(draft, await asidePath(files, draft, 'in-the-way'))
    return await files.open(draft, 'new')
  }
}
