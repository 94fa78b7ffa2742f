import { type AuthorityFile, type Outcome, fail, failure, succeed } from '@contract'
import { type BrowserWindow, dialog } from 'electron'
import { readRegular, UnusableFileError } from '../files/regular-file'
import { longestFile, readAuthorities } from './certificates'

/** Reads and checks certificates of authorities. Failure: `invalid-input`, which says what is wrong. */
export function readAuthorityFile(file: Buffer): Outcome<AuthorityFile> {
  const read = readAuthorities(file)
  if (!read.ok) {
    const issues = [{ path: ['pem'], message: read.problem }]
    return fail(failure('invalid-input', read.problem, { issues }))
  }
  return succeed({ pem: read.pem, certificates: read.certificates })
}

/** Asks the operator for a file with certificates of authorities and reads it; null if they choose none. */
export async function chooseAuthorityFile(
  window: BrowserWindow | null,
): Promise<Outcome<AuthorityFile | null>> {
  const options = {
    title: 'CA certificate',
    properties: ['openFile' as const],
    filters: [
      { name: 'Certificates', extensions: ['pem', 'crt', 'cer', 'der', 'p7b', 'p7c'] },
      { name: 'All files', extensions: ['*'] },
    ],
  }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  const [path] = filePaths
  if (canceled || path === undefined) return succeed(null)
  try {
    return readAuthorityFile((await readRegular(path, longestFile)) ?? Buffer.alloc(0))
  } catch (error) {
    if (error instanceof UnusableFileError && error.reason === 'is too large')
      return readAuthorityFile(Buffer.alloc(longestFile + 1))
    return fail(
      failure('invalid-input', "The file couldn't be read.", {
        advice: `Choose another one, or fix its permissions. (${String(error)})`,
      }),
    )
  }
}
