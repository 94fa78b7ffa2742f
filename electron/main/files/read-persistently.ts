import { type Files, UnusableFileError } from '.'

/** How often a file is read if the disk refuses. */
const maxReads = 3

/**
 * Reads a whole file at the start, again if the disk refuses: that doesn't mean that the file is damaged. Null if it
 * doesn't exist. Throws if the disk refuses every time, and an UnusableFileError if it isn't an ordinary file.
 */
export function readPersistentlyNow(files: Files, path: string): Buffer | null {
  for (let reads = 1; ; reads += 1) {
    try {
      return files.now.read(path)
    } catch (error) {
      if (reads === maxReads || error instanceof UnusableFileError) throw error
    }
  }
}
