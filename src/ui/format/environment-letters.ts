/** The words of a name: what has letters or digits. */
const wordsOf = (name: string): string[] => name.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []

/**
 * Two letters for an environment's badge: the first letters of the first and last word of its name, since names often
 * differ at their end ("Production EU", "Production US"), or the first two of a single word. Empty if the name has
 * neither a letter nor a digit.
 */
export function environmentLetters(name: string): string {
  const words = wordsOf(name)
  const first = words[0]
  const last = words[words.length - 1]
  if (first === undefined || last === undefined) return ''
  const letters =
    words.length > 1 ? [...first].slice(0, 1).concat([...last].slice(0, 1)) : [...first].slice(0, 2)
  return letters.join('').toUpperCase()
}

/**
 * The letters of environments by their names. Where two would have the same, the later one's second letter is another
 * one of its name, those that begin a word first, or a digit; with hundreds of similar names, some are the same.
 */
export function distinctLetters(names: readonly string[]): Map<string, string> {
  const letters = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of new Set(names)) {
    const usual = environmentLetters(name)
    const own =
      usual === '' || !taken.has(usual) ? usual : (others(name).find((one) => !taken.has(one)) ?? usual)
    taken.add(own)
    letters.set(name, own)
  }
  return letters
}

function others(name: string): string[] {
  const words = wordsOf(name).map((word) => [...word])
  const first = words[0]?.[0] ?? ''
  const begin = words.slice(1).map(([letter]) => letter!)
  const rest = words.flatMap((word) => word.slice(1))
  return [...begin, ...rest, ...'23456789'].map((second) => `${first}${second}`.toUpperCase())
}
