import { dirname } from 'node:path'
import { type Files, nodeFiles, type OpenFile, UnusableFileError } from '.'
import { asidePath } from './set-aside'
import { largestFile } from './regular-file'

/**
 * Writes a file whole or not at all: the old one stays until the new one is on the disk, and lasts through a power cut
 * once this resolves. Only its owner may read it. Rejects as the file system does, and with an UnusableFileError for what
 * would be too large to be read again. A folder, a pipe or a device in the place of the new one is set aside.
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
    await files.rename(draft, path)
  } catch (error) {
    // On a full disk what is left of it stands in the way of the next attempt.
    await files.remove(draft).catch(() => undefined)
    throw error
  }
  await files.syncFolder(dirname(path))
}

/** Opens the new file. What is no file there would stay in the way at every start: no attempt of Slipway's removes it. */
async function openNew(draft: string, files: Files): Promise<OpenFile> {
  try {
    return await files.open(draft, 'new')
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error
    await files.rename(draft, await asidePath(files, draft, 'in-the-way'))
    return await files.open(draft, 'new')
  }
}
