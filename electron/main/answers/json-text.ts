/** A value as JSON text, from a process that wrote and checked it. It goes to the page without being parsed. */
export class JsonText<T> {
  /** Only the type check knows this member. */
  declare readonly type?: T

  constructor(readonly text: string) {}
}
