/** The body of an answer: a value as JSON in UTF-8. */
export const jsonBody = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
