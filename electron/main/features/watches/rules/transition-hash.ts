import { createHash } from 'node:crypto'

/** How many transitions of one deployment are remembered. */
export const maxReported = 30

/** The length of a transition's hash, in characters. */
export const hashLength = 12

/**
 * The hash of a reported transition. Only equality counts, and the text itself may have up to 2,000 characters of a
 * service.
 */
export const transitionHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, hashLength)

/** The hashes in a file of any version. Earlier versions have the texts, each with a space. */
export const transitionHashes = (stored: readonly string[]): string[] =>
  stored.slice(-maxReported).map((one) => (one.includes(' ') ? transitionHash(one) : one))
