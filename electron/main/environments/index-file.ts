import { existsSync, readFileSync, renameSync } from 'node:fs'
import { type EnvironmentIndex, environmentIndexSchema } from '@contract/environment-index'
import { writeWhole } from '../whole-file'

/** The file of the index. */
export interface IndexFile {
  /** The index as it was at the start. */
  first: EnvironmentIndex
  /** Writes the index whole or not at all. Calls are done one after the other. Rejects as the file system does. */
  write: (index: EnvironmentIndex) => Promise<void>
}

/**
 * Opens the index. One that cannot be read is set aside (`environments.json.damaged-TIME`) and replaced by an
 * empty one with `rebuild` set; without any, the index is empty.
 */
export function openIndexFile(path: string, empty: EnvironmentIndex): IndexFile {
  let last: Promise<void> = Promise.resolve()
  return {
    first: read(path) ?? (setAside(path) ? { ...empty, rebuild: true } : empty),
    write(index) {
      const text = JSON.stringify(index, null, 2)
      const turn = last.then(() => writeWhole(path, text))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

function read(path: string): EnvironmentIndex | null {
  try {
    return environmentIndexSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return null
  }
}

/** Whether there was a file to set aside. */
function setAside(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    renameSync(path, `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`)
  } catch {
    // It stays where it is and is replaced with the next change.
  }
  return true
}
