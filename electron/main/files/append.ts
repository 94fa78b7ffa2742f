import { dirname } from 'node:path'
import type { Files } from '.'

/** The file was truncated, removed or written by another program while Slipway used it. */
export class ChangedFileError extends Error {
  constructor() {
    super('The file was changed by someone else.')
  }
}

/**
 * Appends bytes after the first `length` bytes of a file, or leaves these unchanged: the rest of a failed append is
 * truncated, at the latest before the next one. Once this resolves, the bytes were read back from the disk and survive
 * a power cut.
 *
 * Rejects if the file system does, and with a ChangedFileError if the file is shorter than `length`.
 *
 * @param inFolder whether the folder is certain to have the file after a power cut
 */
export async function appendBehind(
  files: Files,
  path: string,
  length: number,
  bytes: Uint8Array,
  inFolder: boolean,
): Promise<void> {
  const file = await files.open(path, 'append')
  try {
    const size = await file.size()
    if (size < length) throw new ChangedFileError()
    if (size > length) await file.truncate(length)
    try {
      await file.append(bytes)
      await file.sync()
      const written = await file.read(length, bytes.length)
      if (Buffer.compare(written, bytes) !== 0) throw new ChangedFileError()
      if (!inFolder) await files.syncFolder(dirname(path))
    } catch (error) {
      // If this fails too, the next append truncates first.
      await file.truncate(length).catch(() => undefined)
      await file.sync().catch(() => undefined)
      throw error
    }
  } finally {
    await file.close()
  }
}
