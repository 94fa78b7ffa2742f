import { failureText, succeed } from '@contract'
import { largestMergedFile, largestPersonalFile, type PersonalFile } from '@contract/ipc/personal-file'
import { type StoredFile, type StoredFileOptions, type StoredFormat, openStoredFile } from '../file'
import { environmentsOf, merged, noContent, readContent, without } from './content'

export interface PersonalOptions extends StoredFileOptions {
  /** Called after the file was read, unless a call waited for it. */
  changed: () => void
}

/**
 * The operator's personal data on this machine, in one encrypted file. A change only takes effect once it is on the
 * disk.
 */
export interface Personal extends Pick<StoredFile<PersonalFile>, 'content' | 'change' | 'idle'> {
  /**
   * Reads the file, if there is one, and files that were set aside and are readable again. Call it after the window's
   * first load, and again when the keychain may be open.
   */
  open: () => Promise<void>
  /** The environments with data; null until the file is read. */
  environments: () => string[] | null
  /** Deletes the data of a removed environment, if the file has been read. */
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
  // Notes take precedence over how Slipway was left.
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
