import { hiddenValue } from '@contract'

/**
 * Describes an error for the log: its name, its code, the first line of its message and of its cause, and its stack.
 * Libraries quote their input in error messages (a request, a name, invalid JSON), so quoted text is removed. The
 * result must still be redacted.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return describeOther(error)
  const stackLines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  const { cause } = error
  return [
    `${error.name}${codeOf(error)}: ${firstLine(error.message)}`,
    ...stackLines,
    ...(cause === undefined ? [] : [`caused by ${firstLine(describeError(cause))}`]),
  ].join('\n')
}

function describeOther(error: unknown): string {
  if (typeof error === 'object' && error !== null) return `not an Error${codeOf(error)}`
  return firstLine(String(error))
}

function codeOf(error: object): string {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^[\w-]{1,60}$/.test(code) ? ` (${code})` : ''
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.replace(/"(?:[^"\\]|\\.)*(?:"|$)|'[^']*'(?!\w)|`[^`]*`|[“«][^”»]*[”»]/g, hiddenValue)
}
