import { type AuthorityFile, type Outcome, fail, failure, longestPem, succeed } from '@contract'
import { type BrowserWindow, dialog } from 'electron'
import { readRegular, UnusableFileError } from '../../files/regular-file'
import { readAuthority } from './authority'

/** Reads and checks the certificate of an authority in PEM. Failure: `invalid-input`, which says what is wrong. */
export function readAuthorityText(text: string): Outcome<AuthorityFile> {
  const read = readAuthority(text)
  if (!read.ok) {
    const issues = [{ path: ['pem'], message: read.problem }]
    return fail(failure('invalid-input', read.problem, { issues }))
  }
  return succeed({ pem: read.pem, certificate: read.certificate })
}

/** Asks the operator for the file of an authority's certificate and reads it; null if they choose none. */
export async function chooseAuthorityFile(
  window: BrowserWindow | null,
): Promise<Outcome<AuthorityFile | null>> {
  const options = {
    title: 'CA certificate',
    properties: ['openFile' as const],
    filters: [
      { name: 'Certificates (PEM)', extensions: ['pem', 'crt', 'cer'] },
      { name: 'All files', extensions: ['*'] },
    ],
  }
  const { canceled, filePaths } = await (window
    ? dialog.showOpenDialog(window, options)
    : dialog.showOpenDialog(options))
  const [path] = filePaths
  if (canceled || path === undefined) return succeed(null)
  try {
    const bytes = await readRegular(path, 4 * longestPem)
    return readAuthorityText(bytes?.toString('utf8') ?? '')
  } catch (error) {
    if (error instanceof UnusableFileError && error.reason === 'is too large')
      return readAuthorityText(' '.repeat(longestPem + 1))
    return fail(
      failure('invalid-input', "The file couldn't be read.", {
        advice: `Choose another one, or fix its permissions. (${String(error)})`,
      }),
    )
  }
}
