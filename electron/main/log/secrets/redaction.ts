import { homedir } from 'node:os'
import { credentialWords, hiddenValue } from '@contract'
import { createKnownSecrets } from './known-secrets'
import { findSecrets } from './secrets-of'

/** Removes secrets from texts before they are written anywhere. */
export interface Redactor {
  /** Remembers values that are secret as a whole. Do nothing with them until it resolves (see `KnownSecrets`). */
  learn: (...secrets: string[]) => Promise<void>
  /** Like `learn`, for the secrets inside a value from outside, such as an IPC input or a keychain entry. */
  learnFrom: (value: unknown) => Promise<void>
  /**
   * The text without the remembered values and without what looks like a secret: credentials after Authorization,
   * Bearer and similar words, values after the name of a key or password, credentials and queries of URLs, keys and
   * certificates in PEM, long random strings. The home folder becomes "~".
   */
  redact: (text: string) => string
  /** The text without the remembered values, and otherwise unchanged. */
  hideKnown: (text: string) => string
}

/** Patterns of secrets, whether or not they were seen before, and their replacements. */
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

/** Creates a redactor that knows no secrets yet. */
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
