/**
 * An identifier as it is stored and looked up: different for different ones, and text that every layer below takes as
 * it is. SQLite ends at a NUL in places, and half a surrogate has no UTF-8. Usual identifiers stay as they are.
 */
export function toKey(identifier: string): string {
  return JSON.stringify(identifier).slice(1, -1)
}

/** The identifier of a key that `toKey` made. */
export function fromKey(key: string): string {
  return JSON.parse(`"${key}"`) as string
}

/** Text as it is searched and sorted: what cannot be stored is replaced by U+FFFD. */
export function storable(text: string): string {
  return /[\0\p{Surrogate}]/u.test(text) ? text.replace(/[\0\p{Surrogate}]/gu, '\ufffd') : text
}
