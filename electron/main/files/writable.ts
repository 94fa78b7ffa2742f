import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownerOnly } from '.'

/** Why a folder isn't writable, as a code of the system; null if it is. Creates the folder if it doesn't exist. */
export function whyNotWritable(folder: string): string | null {
  try {
    makeFolder(folder)
    rmdirSync(mkdtempSync(join(folder, 'writable-')))
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** Without `recursive`: with it, Node never returns if the parent folder doesn't accept another one, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  mkdirSync(path, { mode: ownerOnly.folder })
}
