/** Thrown if the database or the archives can't be read or written now. The request isn't at fault. */
export class StorageFailure extends Error {
  /**
   * `full` means that there is no space left, `unavailable` that the database can't be used: nothing was written.
   * `uncertain` means that the connection was lost during a write, which may have been done.
   */
  constructor(
    readonly reason: 'full' | 'unavailable' | 'uncertain',
    cause: unknown,
    /** What can't be used. */
    readonly what: 'database' | 'archives' = 'database',
  ) {
    const summary = reason === 'unavailable' ? `The ${what} can't be used` : summaries[reason]
    super(`${summary}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const summaries = {
  full: 'The disk is full',
  uncertain: 'The connection to the database was lost during a write',
}
