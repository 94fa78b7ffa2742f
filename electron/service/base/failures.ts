import type { serviceExit } from '@contract/deployment-api/request/limits'

/** Thrown if the service can't start. The message says what happened and what to do. */
export class Refusal extends Error {
  /** `reason` says whether the arguments are wrong, the database is damaged, or something else failed. */
  constructor(
    message: string,
    readonly reason: keyof typeof serviceExit = 'other',
  ) {
    super(message)
  }
}

/** Thrown if the database or the archives can't be read or written at the moment. The request isn't at fault. */
export class StorageFailure extends Error {
  /**
   * `full`: no space is left. `unavailable`: the database can't be used, and nothing was written. `uncertain`: the
   * connection was lost during a write, which may have succeeded.
   */
  constructor(
    readonly reason: 'full' | 'unavailable' | 'uncertain',
    cause: unknown,
    /** What failed. */
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
