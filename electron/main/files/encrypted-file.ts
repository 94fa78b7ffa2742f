import { basename, dirname, join } from 'node:path'
import { Sequencer } from '../async'
import { type Files, nodeFiles, UnusableFileError } from '.'
import { asidePath, removeAside, unreadableAsides } from './set-aside'
import { writeAtomically } from './atomic-write'
import { seal, unseal } from './encryption'

/** What was found in a sealed file; `newer` is one that a later Slipway has written. */
type SealedContent =
  { state: 'none' } | { state: 'newer' } | { state: 'unreadable' } | { state: 'read'; text: string }

/** A small encrypted file. Reading and writing reject as the file system does. */
export interface EncryptedFile {
  exists: () => boolean
  read: (key: string) => Promise<SealedContent>
  /** Writes the file whole or not at all; it lasts through a power cut once this resolves. */
  write: (key: string, text: string) => Promise<void>
  /** Keeps a file that cannot be read under another name; gives that name. */
  setAside: () => Promise<string>
  /** The names under which files were set aside, the newest first. */
  listSetAside: () => Promise<string[]>
  /** Reads a file that was set aside: its key may be back. */
  readSetAside: (name: string, key: string) => Promise<SealedContent>
  /** Removes a file that was set aside, once all that it holds is in the file. */
  removeSetAside: (name: string) => Promise<void>
}

/** A sealed file at `path`, for keys of 64 hexadecimal digits. Its name is bound to what is in it. */
export function encryptedFile(path: string, files: Files = nodeFiles): EncryptedFile {
  const purpose = basename(path)
  // A slow write never ends up over a later one.
  const sequencer = new Sequencer()

  async function readAt(place: string, key: string): Promise<SealedContent> {
    try {
      const sealed = await files.read(place)
      return sealed === null ? { state: 'none' } : unseal(sealed, key, purpose)
    } catch (error) {
      if (error instanceof UnusableFileError) return { state: 'unreadable' }
      throw error
    }
  }

  const beside = (name: string): string => join(dirname(path), name)

  return {
    exists: () => files.now.size(path) !== null,

    read: (key) => sequencer.queue(() => readAt(path, key)),

    write: (key, text) => sequencer.queue(() => writeAtomically(path, seal(text, key, purpose), files)),

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
