import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownerOnly } from '.'

/**
 * Why nothing can be written into a folder, as a code of the system; null where it can. Makes the folder where it is
 * missing.
 */
export function whyNotWritable(folder: string): string | null {
  try {
    makeFolder(folder)
    rmdirSync(mkdtempSync(join(folder, 'writable-')))
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** Not by `recursive`, with which Node never ends where a folder that is there has no room for another, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  mkdirSync(path, { mode: ownerOnly.folder })
}
