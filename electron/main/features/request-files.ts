import { type Answers, fail, largestRequestFile, succeed } from '@contract'
import type { FileDialogs } from '../window/file-dialogs'
import { fileNameOf, readChosen, saveChosen } from '../window/chosen-files'

/** Reads and writes files with a request. The operator chooses the file each time. */
export function createRequestFiles({ askWhich, askWhere }: FileDialogs): Answers<'requestFile'> {
  return {
    /** Failures: `invalid-input` if the file is too large or not text, `internal` if it can't be read. */
    async 'requestFile.open'() {
      const path = await askWhich('request')
      if (path === null) return succeed(null)
      return await readChosen(path, largestRequestFile, {
        kind: 'a request',
        advice: 'Choose a JSON or YAML file with a request.',
      })
    },

    /** Failures: `disk-full`, `internal`. */
    async 'requestFile.save'({ baseName, extension, text }) {
      const path = await askWhere('request', `${fileNameOf(baseName, 'request')}.${extension}`)
      if (path === null) return succeed({ path })
      const reason = await saveChosen(path, text, 'The request')
      return reason ? fail(reason) : succeed({ path })
    },
  }
}
