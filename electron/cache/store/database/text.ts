/**
 * The form in which an identifier is stored and looked up. Different identifiers have different forms, which every
 * layer below stores unchanged. In places, SQLite stops at a NUL, and half a surrogate pair has no UTF-8. Usual
 * identifiers don't change.
 */
export function toKey(identifier: string): string {
  return JSON.stringify(identifier).slice(1, -1)
}

/** The identifier of a key that `toKey` made. */
export function fromKey(key: string): string {
  return key.includes('\\') ? (JSON.parse(`"${key}"`) as string) : key
}

/** Text for search and sorting. Characters that can't be stored become U+FFFD. */
export function storable(text: string): string {
  return /[\0\p{Surrogate}]/u.test(text) ? text.replace(/[\0\p{Surrogate}]/gu, '\ufffd') : text
}

/**
 * The prefix of the checksum of a deployment that is marked as gone, so that it counts as changed when it comes back.
 */
export const gonePrefix = 'gone:'
