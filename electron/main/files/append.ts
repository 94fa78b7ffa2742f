import { dirname } from 'node:path'
import type { Files } from '.'

/** A file was cut off, removed or written by someone else while Slipway kept it. */
export class ChangedFileError extends Error {
  constructor() {
    super('The file was changed by someone else.')
  }
}

/**
 * Appends bytes behind the first `length` bytes of a file, or leaves these alone: what an append that failed has left
 * behind is cut off again, at the latest before the next one. Once this resolves the bytes are on the disk, were read
 * back from where they belong, and last through a power cut.
 *
 * Rejects as the file system does, and with a ChangedFileError where the file is shorter than `length`.
 *
 * @param inFolder whether it is certain that the folder has the file, also after a power cut
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
      // Where this fails too, the next append does it first, and fails where it cannot.
      await file.truncate(length).catch(() => undefined)
      await file.sync().catch(() => undefined)
      throw error
    }
  } finally {
    await file.close()
  }
}
