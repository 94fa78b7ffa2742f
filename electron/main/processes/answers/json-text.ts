import type { Outcome } from '@contract'

/** A value as JSON text, from a process that wrote and validated it. It crosses to the page without being parsed. */
export class JsonText<T> {
  /** Exists only for type checks. */
  declare readonly type?: T

  constructor(readonly text: string) {}
}

/** An outcome whose value may be JSON text already. */
export type OrText<T> = Outcome<T | JsonText<T>>
