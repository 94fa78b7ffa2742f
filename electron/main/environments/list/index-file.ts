import {
  type EnvironmentIndex,
  environmentIndexSchema,
  newerEnvironmentIndexSchema,
} from '@contract/app/environment-index'
import { type Files, nodeFiles } from '../../files'
import { asidePathNow } from '../../files/set-aside'
import { writeAtomically } from '../../files/atomic-write'

/** The file of the index. */
export interface IndexFile {
  /** The index as it was at the start. */
  first: EnvironmentIndex
  /** Whether a newer Slipway has written it: then it is left as it is, and nothing is written. */
  newer: boolean
  /** Whether there was one, and it could be read: then `first` has all that was written. */
  wasRead: boolean
  /** Writes the index whole or not at all. Calls are done one after the other. Rejects as the file system does. */
  write: (index: EnvironmentIndex) => Promise<void>
}

/**
 * Opens the index. One that cannot be read is set aside (`environments.json.damaged-TIME`) and replaced by an
 * empty one with `rebuild` set; without any, the index is empty. One of a newer version is left as it is: what it lists
 * is searched for in the keychain, and what changes is in memory only.
 */
export function openIndexFile(path: string, empty: EnvironmentIndex, files: Files = nodeFiles): IndexFile {
  let last: Promise<void> = Promise.resolve()
  const found = read(path, files)
  const newer = found === 'newer'
  if (found === 'damaged') setAside(path, files)
  return {
    first: found === 'none' ? empty : typeof found === 'string' ? { ...empty, rebuild: true } : found,
    newer,
    wasRead: typeof found === 'object',
    write(index) {
      if (newer) return Promise.resolve()
      const text = JSON.stringify(index, null, 2)
      const turn = last.then(() => writeAtomically(path, text, files))
      last = turn.catch(() => undefined)
      return turn
    },
  }
}

function read(path: string, files: Files): EnvironmentIndex | 'none' | 'newer' | 'damaged' {
  try {
    const text = files.now.read(path)?.toString('utf8')
    if (text === undefined) return 'none'
    const value: unknown = JSON.parse(text)
    if (newerEnvironmentIndexSchema.safeParse(value).success) return 'newer'
    return environmentIndexSchema.parse(value)
  } catch {
    return 'damaged'
  }
}

function setAside(path: string, files: Files): void {
  try {
    files.now.rename(path, asidePathNow(files, path, 'damaged'))
  } catch {
    // It stays where it is and is replaced with the next change.
  }
}
