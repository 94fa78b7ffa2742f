import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The first bytes of an encrypted file. The next byte is the version of the format. */
const magic = Buffer.from('SLIPSEAL', 'latin1')
const version = 1
const headerLength = magic.length + 1
/** The nonce of AES-GCM (NIST SP 800-38D, 8.2.2: 96 random bits) and its tag, in bytes. */
const nonceLength = 12
const tagLength = 16

/** The result of decryption. `newer` means a later version of the format, `unreadable` every other failure. */
export type Decrypted = { state: 'read'; text: string } | { state: 'newer' } | { state: 'unreadable' }

/**
 * Encrypts a text: header, nonce, tag, then the text encrypted with AES-256-GCM. The nonce is random for each call. The
 * header and `purpose` are authenticated, so that one file can't take the place of another.
 *
 * @param key 64 hexadecimal digits
 */
export function encrypt(text: string, key: string, purpose: string): Buffer {
  const header = Buffer.concat([magic, Buffer.of(version)])
  const nonce = randomBytes(nonceLength)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce)
  cipher.setAAD(Buffer.concat([header, Buffer.from(purpose)]))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([header, nonce, cipher.getAuthTag(), body])
}

/** Decrypts what `encrypt` made with the same key and purpose. */
export function decrypt(encrypted: Buffer, key: string, purpose: string): Decrypted {
  const header = encrypted.subarray(0, headerLength)
  if (header.length < headerLength || !header.subarray(0, magic.length).equals(magic)) {
    return { state: 'unreadable' }
  }
  const found = header[magic.length]!
  if (found > version) return { state: 'newer' }
  const bodyStart = headerLength + nonceLength + tagLength
  if (found < version || encrypted.length < bodyStart) return { state: 'unreadable' }
  try {
    const nonce = encrypted.subarray(headerLength, headerLength + nonceLength)
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce, {
      authTagLength: tagLength,
    })
    decipher.setAAD(Buffer.concat([header, Buffer.from(purpose)]))
    decipher.setAuthTag(encrypted.subarray(headerLength + nonceLength, bodyStart))
    const text = Buffer.concat([decipher.update(encrypted.subarray(bodyStart)), decipher.final()])
    return { state: 'read', text: text.toString('utf8') }
  } catch {
    // The tag is wrong: another key, or a file that was changed or truncated.
    return { state: 'unreadable' }
  }
}
