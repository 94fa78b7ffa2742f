import { chmod } from 'node:fs/promises'
import { execute } from '../processes'

/**
 * Keeps everybody from adding and replacing files in a folder, or no longer. Gives false where nothing keeps root from
 * it.
 */
export async function setReadOnly(folder: string, readOnly: boolean): Promise<boolean> {
  // Root needs another way to be kept from writing.
  const isRoot = process.getuid?.() === 0
  const set = isRoot
    ? execute('chattr', [readOnly ? '+i' : '-i', folder])
    : chmod(folder, readOnly ? 0o500 : 0o700)
  return await set.then(
    () => true,
    () => false,
  )
}
