import { createHash } from 'node:crypto'

/** How many transitions of one deployment are remembered. */
export const maxTold = 30

/** The length of a transition's hash, in characters. */
export const toldLength = 12

/**
 * The hash of a reported transition. Only equality counts, and the text itself may have up to 2,000 characters of a
 * service.
 */
export const toldHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, toldLength)

/** The hashes in a file of any version. Earlier versions have the texts, each with a space. */
export const toldOf = (stored: readonly string[]): string[] =>
  stored.slice(-maxTold).map((one) => (one.includes(' ') ? toldHash(one) : one))
