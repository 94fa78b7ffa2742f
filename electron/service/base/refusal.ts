import type { serviceExit } from '@contract/app/service-exit'

/** The service cannot start. The message is for the person who starts it: what happened and what to do. */
export class Refusal extends Error {
  /** `reason` says that the arguments are wrong, that the database is damaged, or something else outside them. */
  constructor(
    message: string,
    readonly reason: keyof typeof serviceExit = 'other',
  ) {
    super(message)
  }
}
