import { type Answers, largestRequestFile } from '@contract'
import type { FileDialogs } from '../window/file-dialogs'
import { fileNameOf, readChosen, saveChosen } from '../window/chosen-files'

/** Reads and writes files with a request. The operator chooses the file each time. */
export function createRequestFiles({ askWhich, askWhere }: FileDialogs): Answers<'requestFile'> {
  return {
    /** Failures: `invalid-input` if the file is too large or not text, `internal` if it can't be read. */
    async 'requestFile.open'() {
      return await readChosen(await askWhich('request'), largestRequestFile, {
        kind: 'a request',
        advice: 'Choose a JSON or YAML file with a request.',
      })
    },

    /** Failures: `disk-full`, `internal`. */
    async 'requestFile.save'({ baseName, extension, text }) {
      const path = await askWhere('request', `${fileNameOf(baseName, 'request')}.${extension}`)
      return await saveChosen(path, text, 'The request')
    },
  }
}
