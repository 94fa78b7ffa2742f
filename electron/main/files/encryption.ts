import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** What a sealed file begins with; the byte after it is the version of the format. */
const magic = Buffer.from('SLIPSEAL', 'latin1')
const version = 1
const headerLength = magic.length + 1
/** The nonce of AES-GCM (NIST SP 800-38D, 8.2.2: 96 random bits) and its tag, in bytes. */
const nonceLength = 12
const tagLength = 16

/** What came of opening a sealed text: a `newer` one was sealed by a later version, `unreadable` is all else. */
export type Unsealed = { state: 'read'; text: string } | { state: 'newer' } | { state: 'unreadable' }

/**
 * Seals a text: header, nonce, tag, then the text encrypted by AES-256-GCM. The nonce is random and new each time. The
 * header and `purpose` are authenticated with it, so that one file cannot stand in for another.
 *
 * @param key 64 hexadecimal digits
 */
export function seal(text: string, key: string, purpose: string): Buffer {
  const header = Buffer.concat([magic, Buffer.of(version)])
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce)
  cipher.setAAD(Buffer.concat([header, Buffer.from(purpose)]))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body])
}

/** Opens what `seal` made with the same key and purpose. */
export function unseal(sealed: Buffer, key: string, purpose: string): Unsealed {
  const header = sealed.subarray(0, headerLength)
  if (header.length < headerLength || !header.subarray(0, magic.length).equals(magic)) {
    return { state: 'unreadable' }
  }
  const found = header[magic.length]!
  if (found > version) return { state: 'newer' }
  const bodyStart = headerLength + nonceLength + tagLength
  if (found < version || sealed.length < bodyStart) return { state: 'unreadable' }
  try {
    const nonce = sealed.subarray(headerLength, headerLength + nonceLength)
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce, {
      authTagLength: tagLength,
    })
    decipher.setAAD(Buffer.concat([header, Buffer.from(purpose)]))
    decipher.setAuthTag(sealed.subarray(headerLength + nonceLength, bodyStart))
    const text = Buffer.concat([decipher.update(sealed.subarray(bodyStart)), decipher.final()])
    return { state: 'read', text: text.toString('utf8') }
  } catch {
    // The tag does not fit: another key, or a file that was changed or cut short.
    return { state: 'unreadable' }
  }
}
