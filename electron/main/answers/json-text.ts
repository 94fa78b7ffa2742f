/** A value as JSON text, from a process that wrote and validated it. It crosses to the page without being parsed. */
export class JsonText<T> {
  /** Exists only for type checks. */
  declare readonly type?: T

  constructor(readonly text: string) {}
}
