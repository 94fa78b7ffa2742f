/**
 * Writes an error that nobody else will hear of to standard error. What went out or came in is never part of it:
 * errors of libraries may repeat a request, so that only the first line of the message is kept, without anything
 * that looks like a secret, and the places in the code.
 */
export function report(error: unknown): void {
  console.error(describeError(error))
}

/** The text that `report` writes. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `Slipway: ${redact(String(error))}`
  const places = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [`Slipway: ${error.name}: ${redact(error.message)}`, ...places].join('\n')
}

const longest = 300

function redact(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line
    .replace(
      /("?(?:authorization|[\w-]*(?:key|token|secret|password|cookie)[\w-]*)"?\s*[:=]\s*).*/gi,
      '$1•••',
    )
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 •••')
    .replace(/\/\/[^/\s@]+@/g, '//•••@')
    .replace(/\?\S+/g, '?•••')
    .slice(0, longest)
}
