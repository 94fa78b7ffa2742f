import { failure, type Failure, failureText } from '@contract'

/** The journal could not be read or written. */
export class JournalError extends Error {}

/** The journal could not be read. */
export class UnreadableJournalError extends JournalError {
  constructor(private readonly reason: Failure) {
    super('The journal could not be read.')
  }

  /** What the operator should know. `consequence` says what didn't happen because of it. */
  failure(consequence: string | null = null): Failure {
    const so = consequence === null ? '' : `, so ${consequence}`
    return failure('internal', `The journal couldn't be read${so}.`, {
      advice: failureText(this.reason),
      retryable: true,
    })
  }
}
