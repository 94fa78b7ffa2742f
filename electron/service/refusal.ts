/** The service cannot start. The message is for the person who starts it: what happened and what to do. */
export class Refusal extends Error {
  /** `exitStatus` 2 means that the arguments are wrong, 1 that something outside them is. */
  constructor(
    message: string,
    readonly exitStatus: 1 | 2 = 1,
  ) {
    super(message)
  }
}
