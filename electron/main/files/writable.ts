import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { ownerOnly } from '.'

/**
 * Why nothing can be written into a folder, as a code of the system; null where it can. Makes the folder where it is
 * missing.
 */
export function whyNotWritable(folder: string): string | null {
  try {
    mkdirSync(folder, { recursive: true, mode: ownerOnly.folder })
    rmdirSync(mkdtempSync(join(folder, 'writable-')))
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
