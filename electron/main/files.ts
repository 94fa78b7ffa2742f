/** Slipway's own files: each is written whole or not at all, and one that can't be read is set aside. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Only their owner may read and write Slipway's files. */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const

/** The code of an error of the file system, such as ENOSPC. */
export const errorCode = (error: unknown): string =>
  (error as NodeJS.ErrnoException | null)?.code ?? 'unknown error'

/** Takes the new name of a file that couldn't be read and was set aside. */
export type TellSetAside = (name: string) => void

/**
 * Reads a file of JSON, as `parse` does; as an empty object if there is none. A file that can't be read is set aside,
 * and counts as missing.
 */
export function readJson<T>(path: string, parse: (value: unknown) => T, setAside: TellSetAside): T {
  try {
    return parse(existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {})
  } catch {
    try {
      setAside(renameDamaged(path))
    } catch {
      // It stays where it is, and the next write replaces it.
    }
    return parse({})
  }
}

/** Renames a damaged file or folder and gives its new name. Throws as the file system does. */
export function renameDamaged(path: string): string {
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`
  renameSync(path, aside)
  return basename(aside)
}

/**
 * Writes a file whole or not at all. Rejects as the file system does. Not by write-file-atomic: its hook at the exit takes
 * the signals from Electron, which SIGTERM then ends without `before-quit`.
 */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const draft = `${path}.new`
  try {
    const file = await open(draft, 'w', ownerOnly.file)
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    // On a full disk, the rest of it would block the next attempt.
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Why a folder isn't writable, as a code of the system; null if it is. Creates the folder if it doesn't exist. */
export function whyNotWritable(folder: string): string | null {
  try {
    makeFolder(folder)
    rmdirSync(mkdtempSync(join(folder, 'writable-')))
    return null
  } catch (error) {
    return errorCode(error)
  }
}

/** Without `recursive`: with it, Node never returns if the parent folder doesn't accept another one, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  mkdirSync(path, { mode: ownerOnly.folder })
}
