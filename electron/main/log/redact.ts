import { hiddenValue, credentialWords } from '@contract'
import { homedir } from 'node:os'

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

/**
 * Patterns of secrets, and their replacements. Slipway logs no header, body or input; these catch what a library's
 * message may quote.
 */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [^-\n]*-----[\s\S]*?(?:-----END[^\n]*|$)/g, hiddenValue],
  [
    new RegExp(`((?:${credentialWords}|key)[\\w-]{0,60}"?\\s{0,9}[:=]\\s{0,9})[^\\n]*`, 'gi'),
    `$1${hiddenValue}`,
  ],
  [/\b(bearer|basic|digest|negotiate)\s+\S+/gi, `$1 ${hiddenValue}`],
  [/\/\/[^/\s]*@/g, `//${hiddenValue}@`],
  [/\?\S+/g, `?${hiddenValue}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, hiddenValue],
]

/**
 * A text without what looks like a secret: credentials after Authorization, Bearer and similar words, values after the
 * name of a key or password, credentials and queries of URLs, keys and certificates in PEM. The home folder becomes "~".
 */
export function redact(text: string, home = homedir()): string {
  const result = patterns.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
  return home.length > 1 ? result.replaceAll(home, '~') : result
}
