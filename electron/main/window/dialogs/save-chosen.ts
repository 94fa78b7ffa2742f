import { open } from 'node:fs/promises'
import { type Failure, failure } from '@contract'

/**
 * Writes a file where the user chose, for its owner only. Gives why it couldn't, or null. Failures: `disk-full`, `internal`.
 *
 * @param what begins the failure's sentence: "The request"
 */
export async function saveChosen(
  path: string,
  content: string | Uint8Array,
  what: string,
): Promise<Failure | null> {
  try {
    const file = await open(path, 'w', 0o600)
    try {
      await file.writeFile(content)
    } finally {
      await file.close()
    }
    return null
  } catch (error) {
    return notSaved(what, error)
  }
}

/** The failure of writing to a file that the user chose: `disk-full` or `internal`. `what` begins the sentence. */
export function notSaved(what: string, error: unknown): Failure {
  const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC'
  return failure(isFull ? 'disk-full' : 'internal', `${what} couldn't be saved there.`, {
    advice: isFull ? 'Free up disk space, or choose another disk.' : 'Choose another folder and try again.',
    retryable: true,
  })
}
