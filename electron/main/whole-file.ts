import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file whole or not at all: the old one stays until the new one is on the disk, and lasts through a power cut
 * once this resolves. Only its owner may read it. Rejects as the file system does.
 */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Makes a rename last through a power cut; Windows has no such call for a folder. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
