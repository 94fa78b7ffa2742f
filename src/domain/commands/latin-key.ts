/**
 * The key of a keyboard event. On a keyboard with another alphabet, such as Cyrillic, it is the Latin letter at the
 * same position, in lower case: shortcuts and keys of rows are named by those. With Alt, a key may write a sign
 * instead.
 */
export function latinKey({ key, code, altKey }: Pick<KeyboardEvent, 'key' | 'code' | 'altKey'>): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1]
  const isOther = /^\p{L}+$/u.test(key) && !/\p{Script=Latin}/u.test(key)
  return letter !== undefined && isOther && !altKey ? letter.toLowerCase() : key
}
