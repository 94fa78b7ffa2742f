import { homedir } from 'node:os'
import { credentialWords, hiddenValue } from '@contract'

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
