/** Thrown if the database can't read or write now. The request isn't at fault. */
export class StorageFailure extends Error {
  /** `full` means that there is no space left, and that nothing was written. */
  constructor(
    readonly reason: 'full' | 'unavailable',
    cause: unknown,
  ) {
    const what = reason === 'full' ? 'The disk is full' : "The database can't be used"
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}
