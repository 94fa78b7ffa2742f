/** Thrown if the database can't read or write now. The request isn't at fault. */
export class StorageFailure extends Error {
  /**
   * `full` means that there is no space left, `unavailable` that the database can't be used: nothing was written.
   * `uncertain` means that the connection was lost during a write, which may have been done.
   */
  constructor(
    readonly reason: 'full' | 'unavailable' | 'uncertain',
    cause: unknown,
  ) {
    super(`${summaries[reason]}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

const summaries = {
  full: 'The disk is full',
  unavailable: "The database can't be used",
  uncertain: 'The connection to the database was lost during a write',
}
