import { failure } from '@contract'

const mebibyte = 1024 * 1024

/**
 * How large the file may be, in bytes, for each thing that is written. All of it stays well below what can be read (see
 * `largestFile`), so that the ends of attempts that were begun still have room, and what is not indispensable never takes
 * it.
 */
export const room = { attempts: 32 * mebibyte, notes: 40 * mebibyte, rewriting: 56 * mebibyte } as const

/** The journal could not be read or written. */
export class JournalError extends Error {}

/** The journal has no room for an entry: nothing was written. */
export class FullJournalError extends JournalError {
  /** What the user is told whose creation was not begun. */
  readonly failure

  /** @param locked whether it cannot be shortened because the keychain keeps its key to itself */
  constructor(locked: boolean) {
    super('The journal is full.')
    this.failure = failure('internal', 'The journal is full, so nothing was sent.', {
      advice: locked
        ? 'Slipway can shorten it once the keychain is unlocked. Unlock it, then try again.'
        : 'It is full of unconfirmed creations, which Slipway never forgets by itself. Close Slipway, move ' +
          "journal.jsonl out of Slipway's folder, and try again: for seven days, Slipway then asks the service for a " +
          'name before it creates a deployment of that name.',
    })
  }
}
