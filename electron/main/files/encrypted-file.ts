import { basename, dirname, join } from 'node:path'
import { Sequencer } from '../async'
import { type Files, nodeFiles, UnusableFileError } from '.'
import { asidePath, removeAside, unreadableAsides } from './set-aside'
import { writeAtomically } from './atomic-write'
import { encrypt, decrypt } from './encryption'

/** The result of reading an encrypted file. `newer` is a file that a later Slipway wrote. */
type EncryptedContent =
  { state: 'none' } | { state: 'newer' } | { state: 'unreadable' } | { state: 'read'; text: string }

/** A small encrypted file. Reading and writing reject if the file system does. */
export interface EncryptedFile {
  /** Also true if the file system can't tell; reading then fails with the reason. */
  exists: () => boolean
  read: (key: string) => Promise<EncryptedContent>
  /** Writes the file as a whole or not at all. Once this resolves, it survives a power cut. */
  write: (key: string, text: string) => Promise<void>
  /** Renames a file that can't be read. Gives the new name. */
  setAside: () => Promise<string>
  /** The names of the files that were set aside, newest first. */
  listSetAside: () => Promise<string[]>
  /** Reads a file that was set aside: its key may be available again. */
  readSetAside: (name: string, key: string) => Promise<EncryptedContent>
  /** Removes a file that was set aside, once its content is in the file. */
  removeSetAside: (name: string) => Promise<void>
}

/**
 * An encrypted file at `path`, for keys of 64 hexadecimal digits. The file's name is authenticated with its content.
 */
export function encryptedFile(path: string, files: Files = nodeFiles): EncryptedFile {
  const purpose = basename(path)
  // A slow write never overwrites a later one.
  const sequencer = new Sequencer()

  async function readAt(place: string, key: string): Promise<EncryptedContent> {
    try {
      const encrypted = await files.read(place)
      return encrypted === null ? { state: 'none' } : decrypt(encrypted, key, purpose)
    } catch (error) {
      if (error instanceof UnusableFileError) return { state: 'unreadable' }
      throw error
    }
  }

  const beside = (name: string): string => join(dirname(path), name)

  return {
    exists() {
      try {
        return files.now.size(path) !== null
      } catch {
        return true
      }
    },

    read: (key) => sequencer.queue(() => readAt(path, key)),

    write: (key, text) => sequencer.queue(() => writeAtomically(path, encrypt(text, key, purpose), files)),

    setAside: () =>
      sequencer.queue(async () => {
        const aside = await asidePath(files, path, 'unreadable')
        await files.rename(path, aside)
        return basename(aside)
      }),

    listSetAside: async () => (await unreadableAsides(files, path)).map((one) => basename(one)),
    readSetAside: (name, key) => sequencer.queue(() => readAt(beside(name), key)),
    removeSetAside: (name) => sequencer.queue(() => removeAside(files, beside(name))),
  }
}
