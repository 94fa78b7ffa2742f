import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Length of a file's salt, in bytes. */
export const saltBytes = 32

/** What a file is encrypted and authenticated with. */
export interface FileKeys {
  /** The cipher's key: 64 hexadecimal digits. */
  pages: string
  tags: Tags
}

/** Authenticates what is in a file. */
export interface Tags {
  /**
   * The tag of a piece of content. `kind` is what it is, `fields` what it says, in a fixed order; only the last one may
   * have line breaks.
   */
  of: (kind: 'row' | 'repositories' | 'note', ...fields: (string | number | null)[]) => string
  /** Whether a stored tag, of any type, is the one that was calculated. */
  same: (stored: unknown, calculated: string) => boolean
}

/**
 * Derives the keys of one file from the key in the keychain and the file's own random salt.
 *
 * Why like this: libsql is built with one cipher only, AES-256-CBC of SQLite3 Multiple Ciphers (its ChaCha20-Poly1305
 * and AEGIS answer "unknown cipher"). That cipher takes 32 bytes as they are, derives each page's vector from the
 * page's number, and authenticates nothing. So
 * - the key is given as bytes (`pragma hexkey`): as text, only 32 of 64 hexadecimal digits counted, 128 of 256 bits;
 * - each file has a key of its own: under one key, two files were equal block by block wherever their content was;
 * - each deployment, list of repositories and note has an HMAC-SHA-256 (128 bits of it) that is verified whenever it is
 *   read. What was changed is dropped and told, never shown.
 *
 * What is not protected: one who watches a file over time sees which blocks change. One who can write it can put an
 * older state of it back, or hide rows and change their order; a damaged index does the same. The times of fetching
 * are not authenticated: every synchronisation renews all of them.
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
  return {
    of: (kind, ...fields) =>
      createHmac('sha256', key)
        .update(`${kind}\n${fields.map((field) => field ?? '').join('\n')}`)
        .digest()
        .toString('base64', 0, 16),
    same(stored, calculated) {
      if (typeof stored !== 'string') return false
      const [one, other] = [Buffer.from(stored), Buffer.from(calculated)]
      return one.length === other.length && timingSafeEqual(one, other)
    },
  }
}
