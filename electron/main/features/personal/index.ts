import { failureText, succeed } from '@contract'
import { largestMergedFile, largestPersonalFile, type PersonalFile } from '@contract/ipc/personal-file'
import { type StoredFile, type StoredFileOptions, type StoredFormat, openStoredFile } from '../../stored-file'
import { environmentsOf, merged, noContent, readContent, without } from './content'

export interface PersonalOptions extends StoredFileOptions {
  /** Called when the file was read, except where a call waited for it. */
  changed: () => void
}

/**
 * What the operator keeps for themselves on this machine, in one encrypted file. Nothing is held in memory that isn't
 * on the disk: a change counts once it is written.
 */
export interface Personal extends Pick<StoredFile<PersonalFile>, 'content' | 'change' | 'idle'> {
  /**
   * Reads the file, if there is one, and files that were set aside and are readable again. Call it after the window's
   * first load, and again when the keychain may be open.
   */
  open: () => Promise<void>
  /** The environments that something belongs to; null as long as a file hasn't been read. */
  environments: () => string[] | null
  /** Deletes what belongs to an environment that was removed, if the file has been read. */
  forget: (environmentId: string) => Promise<void>
}

const format: StoredFormat<PersonalFile> = {
  subject: 'Favourites, labels, notes and views',
  name: 'personal.sealed',
  account: 'personal-key',
  none: noContent,
  read: readContent,
  merged,
  largest: { change: largestPersonalFile, merge: largestMergedFile },
  // How Slipway was left gives way to notes.
  smaller: [(content) => ({ ...content, lastFilters: [], recent: [] })],
  tooLargeAdvice: 'Shorten or remove some notes, then try again.',
}

export function createPersonal({ changed, ...options }: PersonalOptions): Personal {
  const { report } = options
  const { open, content, change, known, idle } = openStoredFile(format, options)
  return {
    ...{ content, change, idle },

    async open() {
      if (await open()) changed()
    },

    environments() {
      const found = known()
      return found && environmentsOf(found)
    },

    async forget(environmentId) {
      const found = known()
      if (!found || !environmentsOf(found).includes(environmentId)) return
      const made = await change((before) => succeed({ content: without(before, environmentId), value: null }))
      if (!made.ok) report(new Error(failureText(made.failure)))
    },
  }
}
