import type { serviceExit } from '@contract/app/processes'

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
