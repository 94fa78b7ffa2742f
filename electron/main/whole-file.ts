import { dirname } from 'node:path'
import { type Files, nodeFiles, UnusableFileError } from './files'
import { largestFile } from './files/regular'

/**
 * Writes a file whole or not at all: the old one stays until the new one is on the disk, and lasts through a power cut
 * once this resolves. Only its owner may read it. Rejects as the file system does, and with an UnusableFileError for what
 * would be too large to be read again.
 */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  files: Files = nodeFiles,
): Promise<void> {
  const bytes = Buffer.from(content)
  if (bytes.length > largestFile) throw new UnusableFileError('is too large')
  const draft = `${path}.new`
  try {
    const file = await files.open(draft, 'new')
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
