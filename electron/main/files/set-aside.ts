import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { Files } from '.'

/**
 * Why a file was set aside. `unreadable`: usually its key was lost, and it is read again once the key is back.
 * `damaged`: its content isn't what Slipway wrote, so it is never read again.
 */
export type AsideReason = 'unreadable' | 'damaged'

/** How many such files are examined. There are more only if the key is lost repeatedly. */
const maxLookedAt = 20

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

/** Paths of unreadable files that were set aside in one folder, newest first. Rejects if the file system does. */
export async function unreadableAsides(files: Files, ...paths: [string, ...string[]]): Promise<string[]> {
  const folder = dirname(paths[0])
  const beginnings = paths.map((path) => `${basename(path)}.unreadable-`)
  const names = (await files.list(folder)).filter((name) => beginnings.some((one) => name.startsWith(one)))
  return names
    .sort()
    .reverse()
    .slice(0, maxLookedAt)
    .map((name) => join(folder, name))
}

/**
 * The hash of a text that was set aside. The file that took it in remembers it: where the text couldn't be removed, it
 * isn't added again with the next start, because its content may have been changed or deleted since.
 */
export const hashOfAside = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Removes a file that was set aside, once its content is elsewhere on the disk. Rejects if the file system does. */
export async function removeAside(files: Files, path: string): Promise<void> {
  await files.remove(path)
  await files.syncFolder(dirname(path))
}
