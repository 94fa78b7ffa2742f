import type { Files } from '.'

/**
 * Why a file was set aside. `unreadable`: usually its key was lost, and it is read again once the key is back.
 * `damaged`: its content isn't what Slipway wrote, so it is never read again.
 */
export type AsideReason = 'unreadable' | 'damaged'

/** A free path beside a file that can't be used, or that is in the way of another. Rejects if the file system does. */
export async function asidePath(
  files: Files,
  path: string,
  reason: AsideReason | 'in-the-way',
): Promise<string> {
  const first = firstAside(path, reason)
  let free = first
  // The clock may have been set back.
  for (let count = 2; (await files.size(free)) !== null; count += 1) free = `${first}-${count}`
  return free
}

/** The same, synchronous. Throws if the file system does. */
function asidePathNow(files: Files, path: string, reason: AsideReason): string {
  const first = firstAside(path, reason)
  let free = first
  for (let count = 2; files.now.size(free) !== null; count += 1) free = `${first}-${count}`
  return free
}

/**
 * Sets a file aside at the start of the process. If the file system refuses that, the file stays where it is, and the
 * next write replaces it.
 */
export function setAsideNow(files: Files, path: string, reason: AsideReason): void {
  try {
    files.now.rename(path, asidePathNow(files, path, reason))
  } catch {
    // As above.
  }
}

const firstAside = (path: string, reason: string): string =>
  `${path}.${reason}-${new Date().toISOString().replaceAll(':', '-')}`
