/**
 * Two letters for an environment's badge: the first letters of the first and last word of its name, since names often
 * differ at their end ("Production EU", "Production US"), or the first two of a single word. Empty if the name has
 * neither a letter nor a digit.
 */
export function environmentLetters(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
  const first = words[0]
  const last = words[words.length - 1]
  if (first === undefined || last === undefined) return ''
  const letters =
    words.length > 1 ? [...first].slice(0, 1).concat([...last].slice(0, 1)) : [...first].slice(0, 2)
  return letters.join('').toUpperCase()
}
