import { createHash, randomBytes } from 'node:crypto'

/** What a key allows: only reading, or everything. */
export const roles = ['read', 'create'] as const

export type Role = (typeof roles)[number]

/**
 * The form of a key, as the source of a regular expression. Its group is the identifier, which isn't secret. The prefix
 * tells people, and programs that look for leaked secrets, what they found.
 */
export const apiKeyPattern = String.raw`slipway_([0-9a-f]{16})_[\w-]{43}`

const shape = new RegExp(`^${apiKeyPattern}$`)

/**
 * Creates a key. It has 32 random bytes, so nobody can guess it, and SHA-256 is enough as its hash. Slow hashes such as
 * scrypt protect short secrets that people choose, and every request would pay for them.
 */
export function makeKey(): { id: string; key: string; hash: string } {
  const id = randomBytes(8).toString('hex')
  const key = `slipway_${id}_${randomBytes(32).toString('base64url')}`
  return { id, key, hash: hashOf(key) }
}

/** The part of a key that isn't secret; null if the text doesn't have the form of a key. */
export function idOf(key: string): string | null {
  return shape.exec(key)?.[1] ?? null
}

/** The hash of a key, as the database stores it. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
