import { homedir } from 'node:os'
import { credentialWords, hiddenValue } from '@contract'
import { createKnownSecrets } from './known-secrets'
import { findSecrets } from './secrets-of'

/** Takes secrets out of texts before they are written anywhere. */
export interface Redactor {
  /** Remembers values that are secret as a whole. */
  learn: (...secrets: string[]) => void
  /** Remembers the secrets inside a value that came in: an IPC input, a keychain entry. */
  learnFrom: (value: unknown) => void
  /**
   * The text without the values that were remembered and without what looks like a secret: credentials after
   * Authorization, Bearer and the like, what follows the name of a key or a password, credentials and queries of
   * URLs, keys and certificates in PEM, long random strings. The home folder becomes "~".
   */
  redact: (text: string) => string
  /** The text without the values that were remembered, and otherwise as it is. */
  hideKnown: (text: string) => string
}

/** Patterns of what is a secret whether or not it was seen before, and what remains of it. */
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
  [/\b(?=[\w+-]{0,200}\d)(?=[\w+-]{0,200}[a-z])(?=[\w+-]{0,200}[A-Z])[\w+-]{40,}={0,2}/g, hiddenValue],
]

/** Makes a redactor that knows nothing yet. */
export function createRedactor(home = homedir()): Redactor {
  const known = createKnownSecrets()
  return {
    learn: (...secrets) => known.learn(secrets),
    learnFrom: (value) => known.learn(findSecrets(value)),
    hideKnown: (text) => known.hide(text, hiddenValue),
    redact(text) {
      let result = known.hide(text, hiddenValue)
      for (const [pattern, rest] of patterns) result = result.replace(pattern, rest)
      return home.length > 1 ? result.replaceAll(home, '~') : result
    },
  }
}
