import { basename } from 'node:path'
import { type Failure, fail, failure, type Outcome, succeed } from '@contract'
import { readRegular, UnusableFileError } from '../../files/regular-file'

/** A file that the operator chose: its name without its folder, its text, and the bytes of that. */
export interface ChosenFile {
  fileName: string
  text: string
  bytes: Uint8Array
}

/**
 * Reads a file of UTF-8 text that the operator chose. Failures: `invalid-input` if it is too large or not text,
 * `internal` if it can't be read.
 *
 * @param limit the largest size in bytes, a whole number of megabytes
 * @param kind ends the sentence about a file that is too large: "so it can't be …"
 * @param advice which file to choose instead
 */
export async function readChosen(
  path: string,
  limit: number,
  { kind, advice }: { kind: string; advice: string },
): Promise<Outcome<ChosenFile>> {
  const fileName = basename(path)
  const refused = (message: string): Failure => failure('invalid-input', message, { advice })
  try {
    const bytes = await readRegular(path, limit)
    if (!bytes) return fail(unreadable(fileName))
    return succeed({ fileName, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes })
  } catch (error) {
    if (error instanceof UnusableFileError && error.reason === 'is too large')
      return fail(refused(`${fileName} is larger than ${limit / 1_000_000} MB, so it can't be ${kind}.`))
    if (error instanceof TypeError) return fail(refused(`${fileName} isn't UTF-8 text.`))
    return fail(unreadable(fileName))
  }
}

const unreadable = (fileName: string): Failure =>
  failure('internal', `${fileName} couldn't be read.`, {
    advice: 'Check that it still exists and that you can read it, then try again.',
    retryable: true,
  })
