import { createHash, randomBytes } from 'node:crypto'
import { apiKeyPattern } from '../base/api-key-pattern'

const shape = new RegExp(`^${apiKeyPattern}$`)

/**
 * Makes a key. It has 32 random bytes, so nobody can guess it, and its hash can be SHA-256: what slow hashes such as
 * scrypt protect is short secrets that people choose, and each request would pay for it.
 */
export function makeKey(): { id: string; key: string; hash: Buffer } {
  const id = randomBytes(8).toString('hex')
  const key = `slipway_${id}_${randomBytes(32).toString('base64url')}`
  return { id, key, hash: hashOf(key) }
}

/** The part of a key that isn't secret; null if the text isn't shaped like a key. */
export function idOf(key: string): string | null {
  return shape.exec(key)?.[1] ?? null
}

/** What the database has of a key. */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
