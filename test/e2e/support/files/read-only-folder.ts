import { chmod } from 'node:fs/promises'
import { execute } from '../processes'

/** Makes a folder read-only for everybody, or writable again. Returns false if root can't be stopped here. */
export async function setReadOnly(folder: string, readOnly: boolean): Promise<boolean> {
  // Permissions don't stop root.
  const isRoot = process.getuid?.() === 0
  const set = isRoot
    ? execute('chattr', [readOnly ? '+i' : '-i', folder])
    : chmod(folder, readOnly ? 0o500 : 0o700)
  return await set.then(
    () => true,
    () => false,
  )
}
