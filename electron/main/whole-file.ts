import { dirname } from 'node:path'
import { type Files, nodeFiles } from './files'

/**
 * Writes a file whole or not at all: the old one stays until the new one is on the disk, and lasts through a power cut
 * once this resolves. Only its owner may read it. Rejects as the file system does.
 */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  files: Files = nodeFiles,
): Promise<void> {
  const draft = `${path}.new`
  try {
    const file = await files.open(draft, 'new')
    try {
      await file.append(Buffer.from(content))
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
