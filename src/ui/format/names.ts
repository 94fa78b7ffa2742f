import { foldName, searchWords } from '@contract/core/text'

/** The longest name of an environment or a view, in characters. */
const longestName = 60

/**
 * A name with a number, cut so that it isn't too long: the first that is free.
 *
 * @param ending what stands behind the name with a number; the numbers begin with 1
 */
export function freeName(
  name: string,
  isTaken: (name: string) => boolean,
  ending: (number: number) => string,
): string {
  for (let number = 1; ; number += 1) {
    const free = beginning(name, longestName - ending(number).length) + ending(number)
    if (!isTaken(free)) return free
  }
}

/** What a cut may leave of a character: half of it, a joiner, or a variation selector. */
const leftOver = /(?:[\ud800-\udbff]|\u200c|\u200d|\ufe0f)+$/

const beginning = (name: string, length: number): string =>
  name.length <= length ? name : name.slice(0, length).replace(leftOver, '').trimEnd()

/**
 * Letters of other alphabets, and digits, that most fonts draw like a Latin letter (after the confusables of UTS 39),
 * each with the letter that it looks like. Capitals are lower case by then: the pairs have what either case looks like.
 */
const pairs =
  'аaвbсcԁdеeҽeғfɡgһhнhіiјjкkӏlмmпnоoрpԛqгrѕsтtцuѵvԝwхxуyѡwαaβbεeηnιiκkνvοoρpτtυuχxγyωwıiոnօoսuցgհhյj0o1l'
const latin = new Map([...pairs.matchAll(/(.)(.)/gu)].map(([, letter = '', like = '']) => [letter, like]))

/** What a name looks like, in small Latin letters where it can be taken for them. Capital I is no l. */
const lookOf = (name: string): string =>
  [...foldName(name)].map((letter) => latin.get(letter) ?? letter).join('')

/** The name of `others` that a name can be taken for although it is another one; null for none. */
export function lookAlike(name: string, others: readonly string[]): string | null {
  const folded = foldName(name)
  const look = lookOf(name)
  return others.find((other) => foldName(other) !== folded && lookOf(other) === look) ?? null
}

/** Returns a function that checks whether a text contains all words of `search`, in any order and form. */
export function wordSearch(search: string): (text: string) => boolean {
  const words = searchWords(search)
  return (text) => {
    const folded = foldName(text)
    return words.every((word) => folded.includes(word))
  }
}
