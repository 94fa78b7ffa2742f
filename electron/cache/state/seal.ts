import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The nonce of AES-GCM (NIST SP 800-38D, 8.2.2: 96 random bits) and its tag, in bytes. */
const nonceLength = 12
const tagLength = 16

/**
 * Encrypts a text with AES-256-GCM: a random nonce, the tag, then the encrypted text. `purpose` is authenticated, so
 * that one text can't take the place of another.
 *
 * @param key 64 hexadecimal digits
 */
export function seal(text: string, key: string, purpose: string): Buffer {
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce)
  cipher.setAAD(Buffer.from(purpose))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Decrypts what `seal` made with the same key and purpose; null if anything differs. */
export function unseal(sealed: Buffer, key: string, purpose: string): string | null {
  const bodyStart = nonceLength + tagLength
  if (sealed.length < bodyStart) return null
  const nonce = sealed.subarray(0, nonceLength)
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce, {
    authTagLength: tagLength,
  })
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(sealed.subarray(nonceLength, bodyStart))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(bodyStart)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
