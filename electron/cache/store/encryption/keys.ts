import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Length of a file's salt, in bytes. */
export const saltBytes = 32

/** The length of a tag in bytes of a hash, and in characters of base64. */
const tagBytes = 16
const tagLength = 24

/** The keys that a file is encrypted and authenticated with. */
export interface FileKeys {
  /** The cipher's key: 64 hexadecimal digits. */
  pages: string
  tags: Tags
}

type TaggedKind = 'row' | 'repositories' | 'note' | 'history' | 'earlier' | 'observed'

/** Authenticates the content of a file. */
export interface Tags {
  /**
   * The tag of a piece of content. `kind` is its kind, `fields` its values in a fixed order. Only the last one may
   * contain line breaks.
   */
  of: (kind: TaggedKind, ...fields: (string | number | null)[]) => string
  /** Whether a stored tag, of any type, equals the calculated one. */
  same: (stored: unknown, calculated: string) => boolean
}

/**
 * Derives the keys of one file from the key in the keychain and the file's own random salt. Why so, and what it doesn't
 * protect: .github/decisions/0005-encrypted-caches.md.
 *
 * @param key 64 hexadecimal digits
 */
export function deriveKeys(key: string, salt: Uint8Array): FileKeys {
  const derived = (use: string): Buffer =>
    Buffer.from(hkdfSync('sha256', Buffer.from(key, 'hex'), salt, `slipway cache ${use}`, 32))
  return { pages: derived('pages').toString('hex'), tags: tagsWith(derived('tags')) }
}

/** The tags made with a key of 32 bytes. */
export function tagsWith(key: Uint8Array): Tags {
  // Made once, since every row that is read is compared.
  const [one, other] = [Buffer.alloc(tagLength), Buffer.alloc(tagLength)]
  return {
    // Null is joined as an empty text.
    of: (kind, ...fields) =>
      createHmac('sha256', key)
        .update(`${kind}\n${fields.join('\n')}`)
        .digest()
        .toString('base64', 0, tagBytes),
    same(stored, calculated) {
      if (typeof stored !== 'string' || stored.length !== tagLength) return false
      one.write(stored, 'latin1')
      other.write(calculated, 'latin1')
      return timingSafeEqual(one, other)
    },
  }
}
