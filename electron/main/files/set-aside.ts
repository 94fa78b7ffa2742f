import { basename, dirname, join } from 'node:path'
import type { Files } from '.'

/**
 * Why a file was set aside: it could not be read (`unreadable`), most often because its key was lost, so that it may be
 * read again once that is back; or what it holds is not as Slipway left it (`damaged`), so that it is never taken in.
 */
export type AsideReason = 'unreadable' | 'damaged'

/** How many files that were set aside are looked at; there are more only where the key is lost again and again. */
const mostLookedAt = 20

/**
 * A path under which a file can be kept that cannot be used, or what was only in the way of one and that nobody asks
 * about again: nothing has it yet. Rejects as the file system does.
 */
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

/** The same at once, for the start of the process. Throws as the file system does. */
export function asidePathNow(files: Files, path: string, reason: AsideReason): string {
  const first = firstAside(path, reason)
  let free = first
  for (let count = 2; files.now.size(free) !== null; count += 1) free = `${first}-${count}`
  return free
}

const firstAside = (path: string, reason: string): string =>
  `${path}.${reason}-${new Date().toISOString().replaceAll(':', '-')}`

/**
 * Where is kept what could not be read of files in one folder, the newest of each first. Rejects as the file system does.
 */
export async function unreadableAsides(files: Files, ...paths: [string, ...string[]]): Promise<string[]> {
  const folder = dirname(paths[0])
  const beginnings = paths.map((path) => `${basename(path)}.unreadable-`)
  const names = (await files.list(folder)).filter((name) => beginnings.some((one) => name.startsWith(one)))
  return names
    .sort()
    .reverse()
    .slice(0, mostLookedAt)
    .map((name) => join(folder, name))
}

/** Removes a file that was set aside, once all that it holds is elsewhere on the disk. Rejects as the file system does. */
export async function removeAside(files: Files, path: string): Promise<void> {
  await files.remove(path)
  await files.syncFolder(dirname(path))
}
