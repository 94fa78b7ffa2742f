import {
  type EnvironmentIndex,
  environmentIndexSchema,
  newerEnvironmentIndexSchema,
} from '@contract/app/environment'
import { Sequencer } from '../../async'
import { type Files, nodeFiles } from '../../files'
import { readPersistentlyNow } from '../../files/read-persistently'
import { setAsideNow } from '../../files/set-aside'
import { writeAtomically } from '../../files/atomic-write'

/** The file of the index. */
export interface IndexFile {
  /** The index as it was at the start. */
  first: EnvironmentIndex
  /** Whether a newer Slipway wrote it. Then it is left unchanged, and `write` does nothing. */
  newer: boolean
  /** Whether the file existed and was readable, so that `first` has everything that was written. */
  wasRead: boolean
  /** Writes the index as a whole or not at all, one call after the other. Rejects if the file system does. */
  write: (index: EnvironmentIndex) => Promise<void>
}

/**
 * Opens the index. A file that is damaged, or that the disk refuses to read repeatedly, is set aside
 * (`environments.json.damaged-TIME`), and an empty index with `rebuild` replaces it. Without a file, the index is
 * empty. A file of a newer Slipway is left unchanged: the keychain is searched for its environments, and changes stay
 * in memory.
 */
export function openIndexFile(path: string, empty: EnvironmentIndex, files: Files = nodeFiles): IndexFile {
  const sequencer = new Sequencer()
  const found = read(path, files)
  const newer = found === 'newer'
  if (found === 'damaged') setAsideNow(files, path, 'damaged')
  return {
    first: found === 'none' ? empty : typeof found === 'string' ? { ...empty, rebuild: true } : found,
    newer,
    wasRead: typeof found === 'object',
    async write(index) {
      if (newer) return
      const text = JSON.stringify(index, null, 2)
      await sequencer.queue(() => writeAtomically(path, text, files))
    },
  }
}

function read(path: string, files: Files): EnvironmentIndex | 'none' | 'newer' | 'damaged' {
  try {
    const text = readPersistentlyNow(files, path)?.toString('utf8')
    if (text === undefined) return 'none'
    const value: unknown = JSON.parse(text)
    if (newerEnvironmentIndexSchema.safeParse(value).success) return 'newer'
    return environmentIndexSchema.parse(value)
  } catch {
    return 'damaged'
  }
}
