import { type EnvironmentIndex, environmentIndexSchema } from '@contract/app/environment'
import { Sequencer } from '../../async'
import { type Files, nodeFiles } from '../../files'
import { readPersistentlyNow } from '../../files/read-persistently'
import { setAsideNow } from '../../files/set-aside'
import { writeAtomically } from '../../files/atomic-write'

/** The file of the index. */
export interface IndexFile {
  /** The index as it was at the start. */
  first: EnvironmentIndex
  /** Whether the file existed and was readable, so that `first` has everything that was written. */
  wasRead: boolean
  /** Writes the index as a whole or not at all, one call after the other. Rejects if the file system does. */
  write: (index: EnvironmentIndex) => Promise<void>
}

/**
 * Opens the index. A file that is damaged or of another version, or that the disk refuses to read repeatedly, is set
 * aside (`environments.json.damaged-TIME`), and an empty index with `rebuild` replaces it. Without a file, the index is
 * empty.
 */
export function openIndexFile(path: string, empty: EnvironmentIndex, files: Files = nodeFiles): IndexFile {
  const sequencer = new Sequencer()
  const found = read(path, files)
  if (found === 'damaged') setAsideNow(files, path, 'damaged')
  return {
    first: found === 'none' ? empty : typeof found === 'string' ? { ...empty, rebuild: true } : found,
    wasRead: typeof found === 'object',
    async write(index) {
      const text = JSON.stringify(index, null, 2)
      await sequencer.queue(() => writeAtomically(path, text, files))
    },
  }
}

function read(path: string, files: Files): EnvironmentIndex | 'none' | 'damaged' {
  try {
    const text = readPersistentlyNow(files, path)?.toString('utf8')
    if (text === undefined) return 'none'
    return environmentIndexSchema.parse(JSON.parse(text))
  } catch {
    return 'damaged'
  }
}
