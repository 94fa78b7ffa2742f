import { basename } from 'node:path'
import {
  fail,
  failure,
  largestRequestFile,
  type OpenedRequestFile,
  type Outcome,
  type RequestFileToSave,
  type SavedRequestFile,
  succeed,
} from '@contract'
import { readRegular, UnusableFileError } from '../files/regular-file'
import { saveChosen } from '../window/dialogs/save-chosen'

/** The system's dialogs; each gives a path, or null if the user cancels. */
export interface RequestFileDialogs {
  askWhich: () => Promise<string | null>
  askWhere: (suggestedName: string) => Promise<string | null>
}

/** Reads and writes files with a request. The user chooses the file each time. */
export interface RequestFiles {
  /** Failures: `invalid-input` if the file is too large or not text, `internal` if it can't be read. */
  open: () => Promise<Outcome<OpenedRequestFile>>
  /** Failures: `disk-full`, `internal`. */
  save: (file: RequestFileToSave) => Promise<Outcome<SavedRequestFile>>
}

export function createRequestFiles({ askWhich, askWhere }: RequestFileDialogs): RequestFiles {
  return {
    async open() {
      const path = await askWhich()
      if (path === null) return succeed(null)
      const fileName = basename(path)
      try {
        const bytes = await readRegular(path, largestRequestFile)
        if (bytes) {
          return succeed({ fileName, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) })
        }
        return unreadable(fileName)
      } catch (error) {
        if (error instanceof UnusableFileError && error.reason === 'is too large')
          return refused(`${fileName} is larger than 1 MB, so it can't be a request.`)
        if (error instanceof TypeError) return refused(`${fileName} isn't UTF-8 text.`)
        return unreadable(fileName)
      }
    },

    async save({ baseName, extension, text }) {
      const path = await askWhere(`${fileNameOf(baseName)}.${extension}`)
      if (path === null) return succeed({ path })
      const reason = await saveChosen(path, text, 'The request')
      return reason ? fail(reason) : succeed({ path })
    },
  }
}

const refused = (message: string): { ok: false; failure: ReturnType<typeof failure> } =>
  fail(failure('invalid-input', message, { advice: 'Choose a JSON or YAML file with a request.' }))

const unreadable = (fileName: string): ReturnType<typeof refused> =>
  fail(
    failure('internal', `${fileName} couldn't be read.`, {
      advice: 'Check that it still exists and that you can read it, then try again.',
      retryable: true,
    }),
  )

/** A file name that is valid on every file system. */
function fileNameOf(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+|[.-]+$/g, '')
      .slice(0, 100) || 'request'
  )
}
