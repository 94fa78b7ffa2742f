import { failure } from '@contract'
import { errorCode } from '../../../files/error-code'

const mebibyte = 1024 * 1024

/**
 * How large the file may be for each kind of entry, in bytes. All limits are well below the largest readable file
 * (`largestFile`), so that running attempts always have room to end, and notes never use it up.
 */
export const sizeLimits = { attempts: 32 * mebibyte, notes: 40 * mebibyte, rewriting: 56 * mebibyte } as const

/** The journal could not be read or written. */
export class JournalError extends Error {}

/** The file system refused to read the journal. */
export class UnreadableJournalError extends JournalError {
  readonly #code

  constructor(cause: unknown) {
    super('The journal could not be read.', { cause })
    this.#code = errorCode(cause)
  }

  /** What the operator should know. `consequence` says what didn't happen because of it. */
  failure(consequence: string | null = null) {
    const so = consequence === null ? '' : `, so ${consequence}`
    return failure('internal', `The journal couldn't be read from disk (${this.#code})${so}.`, {
      advice:
        "It was left unchanged. Check the disk and the permissions of Slipway's folder, then try again.",
      retryable: true,
    })
  }
}

/** The journal has no room for an entry, so nothing was written. */
export class FullJournalError extends JournalError {
  /** Why nothing was sent, for the operator. */
  readonly failure

  /** @param locked whether it can't be shortened, because the keychain doesn't give its key */
  constructor(locked: boolean) {
    super('The journal is full.')
    this.failure = failure('internal', 'The journal is full, so nothing was sent.', {
      advice: locked
        ? 'Slipway can shorten it once the keychain is unlocked. Unlock it, then try again.'
        : 'It is full of unconfirmed creations, which Slipway never removes on its own. Close Slipway, move ' +
          "journal.jsonl out of Slipway's folder, and try again. For seven days, Slipway then asks the service " +
          'whether a name exists before it creates a deployment with that name.',
    })
  }
}
