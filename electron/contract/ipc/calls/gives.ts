/** The type of a call's output. Nothing checks an output: both of its ends are built together. */
export const gives = <Output>(): Output => undefined as Output
