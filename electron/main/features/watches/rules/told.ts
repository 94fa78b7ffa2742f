import { createHash } from 'node:crypto'

/** How many transitions of one deployment are remembered. */
export const maxTold = 30

/** How long what stands for one of them is, in characters. */
export const toldLength = 12

/**
 * What stands for a transition that was told: only whether it is the same one counts, and its text has up to 2,000
 * characters of a service.
 */
export const toldHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, toldLength)

/** What was told, as files of any version have it: earlier ones have the texts, each with a space. */
export const toldOf = (stored: readonly string[]): string[] =>
  stored.slice(-maxTold).map((one) => (one.includes(' ') ? toldHash(one) : one))
